//! The interrupts of the measured interface by processor (/proc/interrupts).

pub mod softirqs;
pub mod softnet;

use super::text::{Format, See, processors};

pub const PATH: &str = "/proc/interrupts";

/// Those whose description has one of these words: the interface's name, or its slot.
pub struct Interrupts(pub Vec<String>);

impl Format for Interrupts {
    /// A line of headings, then `24: 1 0 IO-APIC 5-edge virtio0-input.0`: a number for each processor, and words.
    fn visit(&self, text: &str, see: &mut See) {
        let (headings, lines) = text.split_once('\n').unwrap_or((text, ""));
        let processors = processors(headings);
        for line in lines.lines().filter(|line| self.is_ours(line)) {
            let numbers = line.split_ascii_whitespace().skip(1);
            let label = line.split_ascii_whitespace().next_back().unwrap_or("");
            for (cpu, number) in processors.clone().zip(numbers) {
                let number = number.parse().unwrap_or(0);
                see(Some(cpu), number, &|| format!("interrupts:{label}"));
            }
        }
    }
}

impl Interrupts {
    fn is_ours(&self, line: &str) -> bool {
        self.0.iter().any(|word| has_word(line, word))
    }
}

/// Whether a line has a word, and not as a part of a longer one, such as eth1 of eth10.
fn has_word(line: &str, word: &str) -> bool {
    let is_inside = |one: Option<char>| one.is_some_and(|one| one.is_ascii_alphanumeric());
    let mut found = line.match_indices(word);
    found.any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + word.len()..]);
        !is_inside(before.chars().next_back()) && !is_inside(after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::text::tests::found;

    #[test]
    fn only_vectors_of_the_interface_or_its_slot_count() {
        let text = "      CPU0   CPU1\n 24:  1  2  PCI-MSI 5-edge  eth1-TxRx-0\n\
                    25:  3  4  PCI-MSI 6-edge  eth10-TxRx-0\n\
                    26:  5  6  PCI-MSI 7-edge  mlx5_comp0@pci:0000:81:00.0\n LOC: 9 9 Local timer interrupts\n";
        let ours = Interrupts(vec!["eth1".to_owned(), "0000:81:00.0".to_owned()]);
        let wanted = [
            ("interrupts:eth1-TxRx-0".to_owned(), Some(0), 1),
            ("interrupts:eth1-TxRx-0".to_owned(), Some(1), 2),
            (
                "interrupts:mlx5_comp0@pci:0000:81:00.0".to_owned(),
                Some(0),
                5,
            ),
            (
                "interrupts:mlx5_comp0@pci:0000:81:00.0".to_owned(),
                Some(1),
                6,
            ),
        ];
        assert_eq!(found(&ours, text), wanted);
    }
}
