//! Connections, by way of which messages leave side by side.

use std::collections::HashMap;

use weft_plan::program::{Action, Schedule};

/// By operation: the number of a send's connection, which is that of all sends from the same interface to the same
/// node; 0 of what sends nothing.
pub fn connections(schedule: &Schedule) -> Vec<u32> {
    let mut known = HashMap::new();
    let mut number = |operation: u32| {
        let one = schedule.operation(operation);
        let Action::Send(message) = one.action else {
            return 0;
        };
        let next = known.len() as u32;
        let ends = (schedule.node(operation), one.nic, message.peer);
        *known.entry(ends).or_insert(next)
    };
    (0..schedule.operations()).map(&mut number).collect()
}
