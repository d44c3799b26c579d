//! A hash of numbers.

/// SplitMix64's finaliser: every bit of the input changes half of the output (G. Steele, D. Lea and C. Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014).
#[inline]
pub fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
