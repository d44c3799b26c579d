//! How large a program may be.

/// What an operation takes in memory, with its needs, its partner and what a simulator keeps of it.
const OPERATION_BYTES: u64 = 120;
/// The same of a node without operations.
const NODE_BYTES: u64 = 400;
const MOST_BYTES: u64 = 4_000_000_000;

/// Refuses a program that would not fit.
pub fn check_amount(nodes: u64, operations: u64) -> Result<(), String> {
    let operations_bytes = operations.saturating_mul(OPERATION_BYTES);
    let bytes = operations_bytes.saturating_add(nodes.saturating_mul(NODE_BYTES));
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(format!(
        "{nodes} nodes with {operations} operations would take {:.0} GB of memory, a program has at most {} GB; \
         take fewer nodes",
        bytes as f64 / 1e9,
        MOST_BYTES / 1_000_000_000,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_nodes_that_send_to_all_others_are_refused_with_what_they_would_take() {
        let million = 1_000_000;
        let refused = check_amount(million, 2 * million * (million - 1)).unwrap_err();
        assert!(refused.contains("would take 240000 GB"), "{refused}");
        check_amount(1024, 2 * 1024 * 1023).unwrap();
        check_amount(u64::MAX, u64::MAX).unwrap_err();
    }
}
