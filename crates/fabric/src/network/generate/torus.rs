//! Tori and hypercubes: hosts in a grid that closes in every dimension.

use super::check_size;
use super::links::Links;
use super::values::Values;
use crate::network::{Framing, Network, Way};

/// A torus. Every host has in each dimension a link to the next and one to the one before, each a constraint of its
/// own; it goes by one dimension after the other, the shorter way round (of two equal ones up).
#[derive(Debug)]
pub struct Torus {
    name: String,
    dims: Vec<u64>,
    links: Links,
    capacities: Vec<f64>,
}

/// Reads `dims`.
pub fn torus(values: &Values<'_>) -> Result<Box<dyn Network>, String> {
    let dims = values.dims("dims", 2)?;
    Ok(Box::new(Torus::new(values, dims)?))
}

/// A torus of two hosts in each dimension.
pub fn hypercube(values: &Values<'_>) -> Result<Box<dyn Network>, String> {
    let dims = values.number("dims", 1)?;
    if dims > 20 {
        return Err(format!("dims = {dims}: must be from 1 to 20"));
    }
    Ok(Box::new(Torus::new(values, vec![2; dims as usize])?))
}

impl Torus {
    fn new(values: &Values<'_>, dims: Vec<u64>) -> Result<Self, String> {
        let links = Links::read(values)?;
        let hosts = dims.iter().try_fold(1u64, |all, one| all.checked_mul(*one));
        let hosts = hosts.unwrap_or(u64::MAX);
        let constraints = hosts.saturating_mul(2 * dims.len() as u64);
        check_size(hosts, constraints)?;
        Ok(Self {
            name: values.title(),
            capacities: vec![links.bits_per_s; constraints as usize],
            dims,
            links,
        })
    }

    fn constraint(&self, host: u64, dimension: usize, is_up: bool) -> u32 {
        let each = 2 * self.dims.len() as u64;
        (host * each + 2 * dimension as u64 + u64::from(!is_up)) as u32
    }

    fn position(&self, host: u64) -> String {
        let mut rest = host;
        let digit = |size: &u64| {
            let digit = rest % size;
            rest /= size;
            digit.to_string()
        };
        let digits: Vec<_> = self.dims.iter().map(digit).collect();
        digits.join("-")
    }
}

/// Whether the way up is the shorter one. Of two equal ones it is taken too, but from the middle to 0, where SimGrid
/// goes down: an arbitrary choice, made alike so that the two can be compared to the last digit.
fn is_up(from: u64, to: u64, size: u64) -> bool {
    let up = (to + size - from) % size;
    2 * up < size || (2 * up == size && to != 0)
}

impl Network for Torus {
    fn name(&self) -> &str {
        &self.name
    }

    fn hosts(&self) -> usize {
        self.capacities.len() / (2 * self.dims.len())
    }

    fn host_name(&self, host: usize) -> String {
        format!("n{}", self.position(host as u64))
    }

    fn capacities(&self) -> &[f64] {
        &self.capacities
    }

    fn constraint_name(&self, constraint: usize) -> String {
        let each = 2 * self.dims.len();
        let (host, link) = (constraint / each, constraint % each);
        let sign = if link % 2 == 0 { "+" } else { "-" };
        format!("{} {sign}{}", self.host_name(host), link / 2 + 1)
    }

    fn constraint_delay_s(&self, _constraint: usize) -> f64 {
        self.links.delay_s
    }

    fn framing(&self) -> Framing {
        self.links.framing
    }

    fn way(&self, src: usize, dst: usize, network: u32, route: &mut Vec<u32>) -> Option<Way> {
        if network > 0 {
            return None;
        }
        let (mut at, target) = (src as u64, dst as u64);
        let (mut stride, mut hops) = (1, 0);
        for (dimension, &size) in self.dims.iter().enumerate() {
            let (from, to) = (at / stride % size, target / stride % size);
            let up = (to + size - from) % size;
            let is_up = is_up(from, to, size);
            let steps = if is_up { up } else { size - up };
            for _ in 0..steps {
                route.push(self.constraint(at, dimension, is_up));
                let digit = at / stride % size;
                let next = match is_up {
                    true => (digit + 1) % size,
                    false => (digit + size - 1) % size,
                };
                at = at - digit * stride + next * stride;
            }
            hops += steps as u32;
            stride *= size;
        }
        Some(Way::alike(self.links.hop(1.0), hops))
    }
}
