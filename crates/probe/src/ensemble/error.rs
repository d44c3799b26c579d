//! Why a session ends before it was asked to.

use std::io;

use crate::system::error;

/// What went wrong; all of it ends the session, none of it the agent, except output that nobody reads.
#[derive(Debug)]
pub enum Trouble {
    /// The coordinator said so, and hears about it in the answer to its abort.
    Aborted,
    Failed {
        code: &'static str,
        message: String,
        /// The nodes that are to blame.
        peers: Vec<u32>,
    },
    /// The coordinator does not read any more.
    Unheard(io::Error),
}

impl Trouble {
    pub fn bad_request(message: impl Into<String>) -> Trouble {
        Trouble::Failed {
            code: "bad-request",
            message: message.into(),
            peers: Vec::new(),
        }
    }

    pub fn blame(code: &'static str, node: u32, message: String) -> Trouble {
        Trouble::Failed {
            code,
            message,
            peers: vec![node],
        }
    }

    pub fn lost(node: u32, how: &str) -> Trouble {
        Trouble::blame("peer-lost", node, format!("node {node} is lost: {how}"))
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Failed {
            code: error::code(&error),
            message: error::describe(&error),
            peers: Vec::new(),
        }
    }
}
