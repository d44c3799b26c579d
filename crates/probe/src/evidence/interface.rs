//! What the measured interface has carried and dropped (/proc/net/dev).

use super::text::{Format, See};
use crate::system::counters;

pub const PATH: &str = "/proc/thread-self/net/dev";

const COLUMNS: [(&str, usize); 8] = [
    ("interface_rx_bytes", 0),
    ("interface_rx_packets", 1),
    ("interface_rx_errors", 2),
    ("interface_rx_dropped", 3),
    ("interface_tx_bytes", 8),
    ("interface_tx_packets", 9),
    ("interface_tx_errors", 10),
    ("interface_tx_dropped", 11),
];

/// The interface of that name.
pub struct Interface(pub String);

impl Format for Interface {
    fn visit(&self, text: &str, see: &mut See) {
        let mut lines = text.lines().filter_map(counters::of_line);
        if let Some((_, numbers)) = lines.find(|(name, _)| *name == self.0) {
            for (name, column) in COLUMNS {
                see(None, numbers[column], &|| name.to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::text::tests::found;

    #[test]
    fn only_the_interface_of_that_name_counts() {
        let text =
            "  eth1: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n eth10: 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9\n";
        let all = found(&Interface("eth1".to_owned()), text);
        let values: Vec<u64> = all.iter().map(|one| one.2).collect();
        assert_eq!(values, [1, 2, 3, 4, 5, 6, 7, 8]);
        assert!(found(&Interface("eth".to_owned()), text).is_empty());
    }
}
