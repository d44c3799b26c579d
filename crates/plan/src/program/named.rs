//! What messages call an operation.

use super::{Action, Operation};
use crate::reading::readable_size;

impl Operation {
    /// Such as `rank 3, operation 7 (receive 8 B from rank 2, tag 0)`; operations count from 1, ranks from 0 as in MPI.
    pub(super) fn named(self, node: usize, position: usize) -> String {
        let what = match self.action {
            Action::Compute { ns } => format!("compute {ns} ns"),
            Action::Send(message) => format!(
                "send {} to rank {}, tag {}",
                readable_size(message.bytes),
                message.peer,
                message.tag
            ),
            Action::Receive(message) => format!(
                "receive {} from rank {}, tag {}",
                readable_size(message.bytes),
                message.peer,
                message.tag
            ),
        };
        format!("rank {node}, operation {} ({what})", position + 1)
    }
}
