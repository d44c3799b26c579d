//! Think times: exponentially distributed, the same again for the same seed.

/// A user's own sequence.
#[derive(Clone, Copy, Debug)]
pub struct Think {
    state: u64,
    mean_ns: f64,
}

impl Think {
    /// That of a user in a launch.
    pub fn of(seed: u64, launch: u32, user: u32, mean_ns: u64) -> Think {
        let mut think = Think {
            state: seed,
            mean_ns: mean_ns as f64,
        };
        think.state = think.bits() ^ (u64::from(launch) << 32 | u64::from(user));
        think.state = think.bits();
        think
    }

    pub fn next_ns(&mut self) -> u64 {
        let uniform = ((self.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        (-uniform.ln() * self.mean_ns) as u64
    }

    /// SplitMix64 (G. L. Steele et al., OOPSLA 2014), as in the simulator.
    fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(seed: u64, launch: u32, user: u32) -> Vec<u64> {
        let mut think = Think::of(seed, launch, user, 1_000_000);
        (0..10_000).map(|_| think.next_ns()).collect()
    }

    #[test]
    fn times_are_exponential_and_repeat_with_their_seed() {
        let mut first = times(1, 0, 0);
        assert_eq!(first, times(1, 0, 0));
        for other in [times(2, 0, 0), times(1, 1, 0), times(1, 0, 1)] {
            assert_ne!(first, other);
        }
        first.sort_unstable();
        let median_ns = first[5_000] as f64;
        // Its standard error is 1 %.
        assert!((median_ns / 1e6 - 2f64.ln()).abs() < 0.05, "{median_ns}");
        let mean_ns = first.iter().sum::<u64>() as f64 / 1e4;
        assert!((mean_ns / 1e6 - 1.0).abs() < 0.05, "{mean_ns}");
    }
}
