//! Phases without contention: no constraint is crossed twice.
//!
//! That is what a shift is on a fat tree which is routed by destination (E. Zahavi, "D-Mod-K routing", 2010), and any
//! permutation on a crossbar. Where all that is crossed has one capacity, this is what everyone gets from start to end.
//! It takes one look at each crossing, and of each constraint nothing has to be added up, nor cleared for the next phase.

use super::transfers::Transfers;

/// Working memory.
#[derive(Debug, Default)]
pub struct Apart {
    /// By constraint the last phase in which it was crossed.
    crossed_in: Vec<u32>,
    phase: u32,
}

impl Apart {
    /// The capacity of all constraints that are crossed, if that is one and nothing is on two routes, or twice on one. None
    /// where nothing is crossed.
    pub fn common_capacity(&mut self, capacities: &[f64], transfers: &Transfers) -> Option<f64> {
        let first = transfers.routes().find_map(|route| route.first())?;
        let capacity = capacities[*first as usize];
        self.begin_phase(capacities.len());
        let (phase, crossed_in) = (self.phase, &mut self.crossed_in[..capacities.len()]);
        for route in transfers.routes() {
            let mut is_apart = true;
            for at in route {
                let at = *at as usize;
                let before = std::mem::replace(&mut crossed_in[at], phase);
                is_apart &= before != phase && capacities[at] == capacity;
            }
            if !is_apart {
                return None;
            }
        }
        Some(capacity)
    }

    fn begin_phase(&mut self, constraints: usize) {
        if self.crossed_in.len() < constraints {
            self.crossed_in.resize(constraints, self.phase);
        }
        self.phase = self.phase.wrapping_add(1);
        if self.phase == 0 {
            self.crossed_in.fill(0);
            self.phase = 1;
        }
    }
}
