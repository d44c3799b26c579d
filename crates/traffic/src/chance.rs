//! Numbers by chance that depend on nothing but what they are for.

/// Spreads a number over all 64 bits (G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014: SplitMix64).
pub fn mix(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
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
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = mix(self.state) >> 32;
        ((bits * u64::from(below)) >> 32) as u32
    }
}
