//! Constraints that are listed one by one.

use super::{Hop, Path};

/// Constraints by index, each with its name and what it costs a frame.
#[derive(Debug, Default)]
pub struct Named {
    names: Vec<String>,
    hops: Vec<Hop>,
    capacities: Vec<f64>,
}

impl Named {
    /// Adds a constraint; one that is dead carries nothing.
    pub fn add(&mut self, name: String, hop: Hop, is_dead: bool) -> u32 {
        self.names.push(name);
        self.capacities
            .push(if is_dead { 0.0 } else { hop.bits_per_s });
        self.hops.push(hop);
        self.names.len() as u32 - 1
    }

    pub fn name(&self, constraint: usize) -> String {
        self.names[constraint].clone()
    }

    pub fn delay_s(&self, constraint: usize) -> f64 {
        self.hops[constraint].delay_s
    }

    /// In bit/s.
    pub fn capacities(&self) -> &[f64] {
        &self.capacities
    }

    /// What a path over these constraints costs.
    pub fn path(&self, route: &[u32]) -> Path {
        Path::of(route.iter().map(|at| self.hops[*at as usize]))
    }
}
