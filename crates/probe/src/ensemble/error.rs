//! Why a session ends before it was asked to.

use std::io;

use crate::system::error;

/// What went wrong. All of it ends the session; only output that is not read any more ends the agent.
#[derive(Debug)]
pub enum SessionError {
    /// The coordinator aborted; the answer to its abort reports it.
    Aborted,
    Failed {
        code: &'static str,
        message: String,
        /// The nodes that failed.
        peers: Vec<u32>,
    },
    /// The coordinator does not read any more.
    Unheard(io::Error),
}

impl SessionError {
    pub fn bad_request(message: impl Into<String>) -> SessionError {
        SessionError::Failed {
            code: "bad-request",
            message: message.into(),
            peers: Vec::new(),
        }
    }

    pub fn about(code: &'static str, node: u32, message: String) -> SessionError {
        SessionError::Failed {
            code,
            message,
            peers: vec![node],
        }
    }

    pub fn lost(node: u32, how: &str) -> SessionError {
        SessionError::about("peer-lost", node, format!("node {node} is lost: {how}"))
    }
}

impl From<io::Error> for SessionError {
    fn from(error: io::Error) -> SessionError {
        SessionError::Failed {
            code: error::code(&error),
            message: error::describe(&error),
            peers: Vec::new(),
        }
    }
}
