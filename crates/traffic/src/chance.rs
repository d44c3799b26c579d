//! Numbers by chance that depend on nothing but what they are for.

use weft_plan::mixed;

/// What SplitMix64 adds from one number to the next.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Spreads a number over all 64 bits.
pub fn mix(number: u64) -> u64 {
    mixed(number.wrapping_add(STEP))
}

/// A hash of several numbers in their order.
pub fn hash(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |so_far, one| mix(so_far ^ one))
}

/// A sequence of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Chance {
    state: u64,
}

impl Chance {
    /// The sequence for a purpose.
    pub fn new(purpose: &[u64]) -> Self {
        Self {
            state: hash(purpose),
        }
    }

    /// The next one, from 0 to `below` without it (D. Lemire, ACM TOMACS 29(1), 2019; a bias of `below` / 2^32).
    pub fn below(&mut self, below: u32) -> u32 {
        self.state = self.state.wrapping_add(STEP);
        let bits = mix(self.state) >> 32;
        ((bits * u64::from(below)) >> 32) as u32
    }
}
