//! Tori and hypercubes: hosts in a grid that closes in every dimension.

use super::topology::{Topology, generated};
use super::values::Values;
use crate::network::{Flow, Network};
use weft_fabric::Wiring;

/// A torus. Every host has in each dimension a link to the next and one to the one before, each a constraint of its
/// own; it goes by one dimension after the other, the shorter way round (of two equal ones up).
#[derive(Debug)]
pub struct Torus {
    dims: Vec<u64>,
}

/// Reads `dims`, or `hosts` for three dimensions that are as alike as can be. Every place has a host, since hosts pass on
/// what others send.
pub fn torus(values: &Values<'_>) -> Result<Box<dyn Network>, String> {
    let hosts = values.number_or("hosts", 2, None)?;
    let dims = match (values.has("dims"), hosts) {
        (false, Some(hosts)) => near_cube(hosts)?,
        _ => values.dims("dims", 2)?,
    };
    whole(values, Torus { dims }, hosts)
}

fn whole(
    values: &Values<'_>,
    torus: Torus,
    hosts: Option<u64>,
) -> Result<Box<dyn Network>, String> {
    match hosts.filter(|hosts| *hosts != torus.hosts()) {
        None => generated(values, torus),
        Some(hosts) => Err(format!(
            "hosts = {hosts}: these dims have {} places, and a host in each",
            torus.hosts()
        )),
    }
}

/// Three factors of at least two each with the smallest sum.
fn near_cube(hosts: u64) -> Result<Vec<u64>, String> {
    let factors = |of: u64| {
        (2..)
            .take_while(move |n| n * n <= of)
            .filter(move |n| of % n == 0)
    };
    let boxes = factors(hosts)
        .flat_map(|depth| factors(hosts / depth).map(move |b| [hosts / depth / b, b, depth]));
    let best = boxes.min_by_key(|dims| dims.iter().sum::<u64>());
    best.map(Vec::from).ok_or_else(|| {
        format!("hosts = {hosts}: no product of three sizes of at least 2; give dims")
    })
}

/// A torus of two hosts in each dimension; reads `dims`, or `hosts`.
pub fn hypercube(values: &Values<'_>) -> Result<Box<dyn Network>, String> {
    let hosts = values.number_or("hosts", 2, None)?;
    let dims = match (values.has("dims"), hosts) {
        (false, Some(hosts)) if hosts.is_power_of_two() => u64::from(hosts.ilog2()),
        (false, Some(hosts)) => return Err(format!("hosts = {hosts}: must be a power of two")),
        _ => values.number("dims", 1)?,
    };
    if dims > 20 {
        return Err(format!("dims = {dims}: must be from 1 to 20"));
    }
    let dims = vec![2; dims as usize];
    whole(values, Torus { dims }, hosts)
}

impl Torus {
    fn links_each(&self) -> u64 {
        2 * self.dims.len() as u64
    }

    fn constraint(&self, host: u64, dimension: usize, is_up: bool) -> u32 {
        (host * self.links_each() + 2 * dimension as u64 + u64::from(!is_up)) as u32
    }
}

/// Whether the path up is the shorter one. Of two equal ones it is taken too, but from the middle to 0, where SimGrid
/// goes down: an arbitrary choice, made alike so that the two can be compared to the last digit.
fn is_up(from: u64, to: u64, size: u64) -> bool {
    let up = (to + size - from) % size;
    2 * up < size || (2 * up == size && to != 0)
}

impl Topology for Torus {
    fn hosts(&self) -> u64 {
        let mut sizes = self.dims.iter();
        let hosts = sizes.try_fold(1u64, |all, one| all.checked_mul(*one));
        hosts.unwrap_or(u64::MAX)
    }

    fn constraints(&self) -> u64 {
        self.hosts().saturating_mul(self.links_each())
    }

    fn host_name(&self, host: u64) -> String {
        let mut rest = host;
        let digit = |size: &u64| {
            let digit = rest % size;
            rest /= size;
            digit.to_string()
        };
        let digits: Vec<_> = self.dims.iter().map(digit).collect();
        format!("n{}", digits.join("-"))
    }

    fn constraint_name(&self, constraint: u64, host_name: &dyn Fn(u64) -> String) -> String {
        let each = self.links_each();
        let (host, link) = (constraint / each, constraint % each);
        let sign = if link % 2 == 0 { "+" } else { "-" };
        format!("{} {sign}{}", host_name(host), link / 2 + 1)
    }

    /// Cables lead up. Of two hosts in a dimension one cable is enough: each sends over it in its own direction.
    fn wiring(&self) -> Wiring {
        let mut cables = Vec::new();
        let mut stride = 1;
        for &size in &self.dims {
            for host in 0..self.hosts() {
                let digit = host / stride % size;
                let next = host - digit * stride + (digit + 1) % size * stride;
                if size > 2 || digit == 0 {
                    cables.push([host as u32, next as u32]);
                }
            }
            stride *= size;
        }
        let ends = self.dims.iter().map(|size| if *size > 2 { 2 } else { 1 });
        Wiring {
            cables_per_interface: ends.sum(),
            ..Wiring::of_one_network(self.hosts() as u32, Vec::new(), cables)
        }
    }

    fn routing(&self) -> &'static str {
        "dimension order"
    }

    fn route(&self, flow: Flow, route: &mut Vec<u32>) -> u32 {
        let (src, dst) = (flow.src as u64, flow.dst as u64);
        let mut at = src;
        let (mut stride, mut hops) = (1, 0);
        for (dimension, &size) in self.dims.iter().enumerate() {
            let (from, to) = (at / stride % size, dst / stride % size);
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
        hops
    }
}
