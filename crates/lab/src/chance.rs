//! Random numbers that are the same in each lab of the same fabric.

use rand_pcg::Pcg32;
use rand_pcg::rand_core::RngCore;

/// A time with an exponential distribution, of which nothing before says when it is over.
pub fn exponential_ns(chance: &mut Pcg32, mean_ns: u64) -> u64 {
    let above_zero = (f64::from(chance.next_u32()) + 1.0) / 2_f64.powi(32);
    (-above_zero.ln() * mean_ns as f64) as u64
}

/// A time between two, all alike.
pub fn uniform_ns(chance: &mut Pcg32, [shortest, longest]: [u64; 2]) -> u64 {
    shortest + chance.next_u64() % (longest - shortest + 1)
}
