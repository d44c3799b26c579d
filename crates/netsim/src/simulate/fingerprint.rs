//! A number that stands for all events of a simulation, to see whether two went the same way.

use super::solution::Solution;

/// FNV-1a over the bits of every end and the number of every bottleneck, in the order of the transfers. That order is
/// the caller's, so that it does not matter which thread solved what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(u64);

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

impl Default for Fingerprint {
    fn default() -> Self {
        Self(OFFSET)
    }
}

impl Fingerprint {
    /// Takes in a phase.
    pub fn add(&mut self, solution: &Solution) {
        self.add_word(solution.end_s.len() as u64);
        for (end, bottleneck) in solution.end_s.iter().zip(&solution.bottleneck) {
            self.add_word(end.to_bits());
            self.add_word(u64::from(*bottleneck));
        }
    }

    /// Takes in a number. A whole word at a time: eight multiplications fewer than the original, which goes byte by byte.
    pub fn add_word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(PRIME);
        self.0 ^= self.0 >> 29;
    }

    /// The number itself.
    pub fn value(self) -> u64 {
        self.0
    }
}
