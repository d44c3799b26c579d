//! A network whose paths are listed one by one.

use std::collections::HashMap;

use super::constraints::Inventory;
use super::named::{Listed, Named};
use super::{Flow, Hop, Network, Path};
use weft_fabric::Framing;

/// Hosts, constraints and the route of each pair that has one. Rates are what messages get.
#[derive(Debug)]
pub struct Explicit {
    constraints: Named,
    is_shared: Vec<bool>,
    routes: HashMap<(u32, u32), Vec<u32>>,
}

/// A constraint: its name, bit/s, the delay behind it in seconds, and whether connections share it.
pub type Constraint = (String, f64, f64, bool);
/// The constraints from one host to another.
pub type Route = (u32, u32, Vec<u32>);

impl Explicit {
    /// Takes over lists; the error says which route names something that is not there.
    pub fn new(
        name: String,
        hosts: Vec<String>,
        constraints: Vec<Constraint>,
        routes: Vec<Route>,
    ) -> Result<Self, String> {
        for (src, dst, route) in &routes {
            let is_known = |host: &u32| (*host as usize) < hosts.len();
            let is_there = |at: &u32| (*at as usize) < constraints.len();
            if ![src, dst].into_iter().all(is_known) || !route.iter().all(is_there) {
                return Err(format!("the route {src} to {dst} names what is not there"));
            }
        }
        if let Some((name, rate, delay, _)) = constraints
            .iter()
            .find(|(_, rate, delay, _)| !(*rate >= 0.0 && *delay >= 0.0))
        {
            return Err(format!(
                "{name}: a rate of {rate} bit/s and a delay of {delay} s; neither may be negative"
            ));
        }
        let mut named = Named::of(name, hosts);
        let is_shared = constraints.iter().map(|one| one.3).collect();
        for (name, bits_per_s, delay_s, _) in constraints {
            let hop = Hop {
                delay_s,
                bits_per_s,
                mtu_bytes: None,
            };
            named.add(name, hop, false);
        }
        Ok(Self {
            constraints: named,
            is_shared,
            routes: routes
                .into_iter()
                .map(|(src, dst, route)| ((src, dst), route))
                .collect(),
        })
    }
}

impl Listed for Explicit {
    fn named(&self) -> &Named {
        &self.constraints
    }
}

impl Network for Explicit {
    fn framing(&self) -> Framing {
        Framing::Bare
    }

    fn path(&self, flow: Flow, route: &mut Vec<u32>) -> Option<Path> {
        let start = route.len();
        let path = self.hops(flow, route)?;
        let crossed = route.split_off(start);
        let (shared, own): (Vec<u32>, Vec<u32>) = crossed
            .into_iter()
            .partition(|at| self.is_shared[*at as usize]);
        route.extend(shared);
        let rates = own.iter().map(|at| self.capacities()[*at as usize]);
        Some(Path {
            own_bits_per_s: rates.fold(f64::INFINITY, f64::min),
            ..path
        })
    }

    fn is_shared(&self, constraint: usize) -> bool {
        self.is_shared[constraint]
    }

    fn hops(&self, flow: Flow, route: &mut Vec<u32>) -> Option<Path> {
        if flow.src == flow.dst {
            return Some(Path::of([]));
        }
        let found = self.routes.get(&(flow.src as u32, flow.dst as u32))?;
        if flow.network > 0 {
            return None;
        }
        route.extend_from_slice(found);
        Some(Path {
            slowest_s_per_bit: self.slowest_s_per_bit(found),
            ..self.constraints.path(found)
        })
    }
}

impl Explicit {
    /// A message shares a constraint with itself where it crosses it several times.
    fn slowest_s_per_bit(&self, route: &[u32]) -> f64 {
        let s_per_bit = |at: &u32| {
            let crossings = match self.is_shared[*at as usize] {
                true => route.iter().filter(|other| *other == at).count(),
                false => 1,
            };
            crossings as f64 / self.capacities()[*at as usize]
        };
        route.iter().map(s_per_bit).fold(0.0, f64::max)
    }
}
