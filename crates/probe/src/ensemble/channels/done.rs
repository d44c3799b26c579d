//! What is over: sends whose bytes the kernel has, receives whose last byte has come.

/// The end of a send or a receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The number that it was asked for with.
    pub token: u32,
    /// Of this node's clock.
    pub at_ns: u64,
    /// Of a receive.
    pub message: Option<Taken>,
}

/// A message that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    pub src: u32,
    pub bytes: u64,
    /// It waited for its receive.
    pub is_announced: bool,
    /// When its source began with it, on the run's clock.
    pub began_ns: i64,
}

impl Done {
    pub fn sent(token: u32, at_ns: u64) -> Done {
        Done {
            token,
            at_ns,
            message: None,
        }
    }
}
