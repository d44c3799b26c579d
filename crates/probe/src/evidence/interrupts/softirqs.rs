//! Software interrupts by processor (/proc/softirqs).

use crate::evidence::text::{Format, See, processors};

pub const PATH: &str = "/proc/softirqs";

pub struct Softirqs;

impl Format for Softirqs {
    /// A line of headings, then a name, a colon, and a number for each processor.
    fn visit(&self, text: &str, see: &mut See) {
        let (headings, lines) = text.split_once('\n').unwrap_or((text, ""));
        let processors = processors(headings);
        for line in lines.lines() {
            let Some((name, numbers)) = line.split_once(':') else {
                continue;
            };
            for (cpu, number) in processors.clone().zip(numbers.split_ascii_whitespace()) {
                let name = || format!("softirq_{}", name.trim().to_lowercase());
                see(Some(cpu), number.parse().unwrap_or(0), &name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::text::tests::found;

    #[test]
    fn each_number_is_of_the_processor_above_it() {
        let text = "       CPU0       CPU2\n   HI:      1          2\n  NET_RX:   3    4\n";
        let all = found(&Softirqs, text);
        assert_eq!(all[1], ("softirq_hi".to_owned(), Some(2), 2));
        assert_eq!(all[2], ("softirq_net_rx".to_owned(), Some(0), 3));
        assert_eq!(all.len(), 4);
    }
}
