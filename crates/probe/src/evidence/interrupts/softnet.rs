//! What each processor took from the interfaces, dropped, or left for later (/proc/net/softnet_stat).

use crate::evidence::text::{Format, See};

pub const PATH: &str = "/proc/thread-self/net/softnet_stat";

const COLUMNS: [&str; 3] = ["softnet_processed", "softnet_dropped", "softnet_squeezed"];
/// The column that has the processor's number; kernels before 5.10 have a line for each in their order.
const CPU_COLUMN: usize = 12;

pub struct Softnet;

impl Format for Softnet {
    /// A line of hexadecimal numbers for each processor.
    fn visit(&self, text: &str, see: &mut See) {
        for (row, line) in text.lines().enumerate() {
            let hex = |one| u32::from_str_radix(one, 16).ok();
            let numbers = line.split_ascii_whitespace().map_while(hex);
            let cpu = numbers.clone().nth(CPU_COLUMN).unwrap_or(row as u32);
            for (name, number) in COLUMNS.iter().zip(numbers) {
                see(Some(cpu), number.into(), &|| (*name).to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::text::tests::found;

    #[test]
    fn numbers_are_hexadecimal_and_of_the_processor_that_the_line_names() {
        let text = "0000000a 00000001 00000002 0 0 0 0 0 0 0 0 0 00000003 0 0\n";
        let all = found(&Softnet, text);
        assert_eq!(all[0], ("softnet_processed".to_owned(), Some(3), 10));
        assert_eq!(all[2], ("softnet_squeezed".to_owned(), Some(3), 2));
        let old = found(&Softnet, "1 2 3\n4 5 6\n");
        assert_eq!(old[4], ("softnet_dropped".to_owned(), Some(1), 5));
    }
}
