//! A traffic simulation whose map is cut into a domain for each node; neighbours exchange cars after each step.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use toml::Value;

use super::{Ensemble, Wrong, read_rendezvous, streams::doubling};
use crate::error::Result;
use crate::limits::MOST_NODES;
use crate::phase::Transfer;
use crate::positions;
use crate::reading::Section;

pub(crate) const KEYS: [&str; 14] = [
    "nodes",
    "rendezvous",
    "counts",
    "demand",
    "cars",
    "scale",
    "links",
    "closed",
    "seed",
    "from_second",
    "seconds",
    "compute",
    "car",
    "messages",
];

const LINKS: RangeInclusive<u32> = 8..=4_000_000;
const CARS: RangeInclusive<u32> = 1..=100_000_000;
/// Two days.
const SECONDS: RangeInclusive<u32> = 1..=172_800;
const MESSAGES: RangeInclusive<u32> = 1_000..=10_000_000;
const DEFAULT_LINKS: u32 = 10_000;
const DEFAULT_SECONDS: u32 = 300;
const DEFAULT_FROM_SECOND: u32 = 3_600;
const DEFAULT_MESSAGES: u32 = 200_000;
/// Its link and its number, and no plan.
const LEAST_CAR_BYTES: u64 = 8;
const MOST_CAR_BYTES: u64 = 1 << 16;

/// The phases are numbers of nodes: the first so many of those that take part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Traffic {
    /// All of the testbed's where absent.
    pub nodes: Option<Vec<u32>>,
    /// Longer messages wait for their receive.
    pub rendezvous_bytes: u64,
    /// 1, 2, 4, ... and all of them where there are none.
    pub counts: Vec<u32>,
    pub demand: Demand,
    /// Before they are scaled.
    pub cars: u32,
    /// The share of cars, and of what roads carry and have room for; that of the run where absent.
    pub scale: Option<f64>,
    /// About so many has the map.
    pub links: u32,
    pub seed: u32,
    /// Each node has simulated the whole map so far before the nodes begin together.
    pub from_second: u32,
    pub seconds: u32,
    /// What a car that passes the end of a link takes at least of a node's time, over all cars.
    pub compute_ns: u64,
    /// What a car takes of a message.
    pub car_bytes: u64,
    /// A simulated network carries out about so many at most: every so-many-th step.
    pub messages: u32,
    /// Links that no car may enter.
    pub closed: Vec<u32>,
}

json_enum! {
    /// Which cars drive where.
    pub enum Demand {
        /// All cars to the far side of one pass, within an hour.
        Bottleneck = "bottleneck",
        /// From anywhere to anywhere, over six hours.
        Even = "even",
    }
}

impl Demand {
    /// Within how many seconds cars want to leave.
    pub fn departures_s(self) -> u32 {
        match self {
            Self::Bottleneck => 3_600,
            Self::Even => 21_600,
        }
    }

    fn default_cars(self) -> u32 {
        match self {
            Self::Bottleneck => 50_000,
            Self::Even => 990_000,
        }
    }
}

impl Traffic {
    pub(crate) fn read(step: &Section) -> Result<Self> {
        let demand = step.required_choice("demand", &Demand::NAMED)?;
        let count = |key, range, default| Ok(step.count(key, range)?.unwrap_or(default));
        Ok(Self {
            nodes: positions::read_nodes(step)?,
            rendezvous_bytes: read_rendezvous(step)?,
            counts: read_numbers(step, "counts", 1..=MOST_NODES)?,
            demand,
            cars: count("cars", CARS, demand.default_cars())?,
            scale: read_scale(step)?,
            links: count("links", LINKS, DEFAULT_LINKS)?,
            closed: read_numbers(step, "closed", 0..=u32::MAX)?,
            seed: count("seed", 0..=u32::MAX, 0)?,
            from_second: count("from_second", 0..=*SECONDS.end(), DEFAULT_FROM_SECOND)?,
            seconds: count("seconds", SECONDS, DEFAULT_SECONDS)?,
            compute_ns: read_compute(step)?,
            car_bytes: read_car(step)?,
            messages: count("messages", MESSAGES, DEFAULT_MESSAGES)?,
        })
    }

    /// The share of all cars.
    pub fn share(&self) -> f64 {
        self.scale.unwrap_or(1.0)
    }

    /// How many cars there are at this scale.
    pub fn cars_here(&self) -> u32 {
        (f64::from(self.cars) * self.share()).round().max(1.0) as u32
    }

    /// What nodes compute when so many cars pass the end of a link: as if all cars did.
    pub fn compute_ns(&self, passed: u64) -> u64 {
        (passed as f64 / self.share() * self.compute_ns as f64).round() as u64
    }

    /// Those that take part.
    pub fn members(&self, testbed_nodes: u32) -> Vec<u32> {
        let all = || (0..testbed_nodes).collect();
        self.nodes.clone().unwrap_or_else(all)
    }

    /// The numbers of nodes, a phase each.
    pub fn numbers(&self, members: usize) -> Vec<u32> {
        match self.counts.is_empty() {
            true => doubling(1, members)
                .into_iter()
                .map(|one| one as u32)
                .collect(),
            false => self.counts.clone(),
        }
    }
}

fn read_scale(step: &Section) -> Result<Option<f64>> {
    let Some(_) = step.get("scale") else {
        return Ok(None);
    };
    match step.number("scale", 1.0)? {
        scale if scale > 0.0 => Ok(Some(scale)),
        _ => Err(step.refuse("scale", "must be more than 0, and at most 1")),
    }
}

fn read_compute(step: &Section) -> Result<u64> {
    let zero = step.get("compute").and_then(Value::as_integer) == Some(0);
    let time = if zero { None } else { step.time("compute")? };
    Ok(time.unwrap_or(0))
}

fn read_car(step: &Section) -> Result<u64> {
    let bytes = step.size("car")?.unwrap_or(LEAST_CAR_BYTES);
    match (LEAST_CAR_BYTES..=MOST_CAR_BYTES).contains(&bytes) {
        true => Ok(bytes),
        false => Err(step.refuse("car", "must be 8 B to 64 KiB")),
    }
}

/// A list of different whole numbers.
fn read_numbers(step: &Section, key: &str, range: RangeInclusive<u32>) -> Result<Vec<u32>> {
    let right = || {
        format!(
            "must be a list of different whole numbers from {}",
            range.start()
        )
    };
    let read = |value: &Value| {
        let values = value.as_array().ok_or_else(right)?;
        let mut numbers = Vec::new();
        for value in values {
            let number = crate::reading::count(value, range.clone())?;
            if numbers.contains(&number) {
                return Err(right());
            }
            numbers.push(number);
        }
        Ok(numbers)
    };
    Ok(step.value(key, read)?.unwrap_or_default())
}

/// Its messages depend on what the nodes have simulated: phases have no transfers.
impl Ensemble for Traffic {
    fn nodes(&self) -> Option<&[u32]> {
        self.nodes.as_deref()
    }

    fn least(&self) -> usize {
        self.counts.iter().max().map_or(1, |most| *most as usize)
    }

    fn check(&self) -> std::result::Result<(), Wrong> {
        match (&self.nodes, self.counts.iter().max()) {
            (Some(nodes), Some(most)) if *most as usize > nodes.len() => Err((
                "counts",
                format!("{most} nodes, and `nodes` has {}", nodes.len()),
            )),
            _ => Ok(()),
        }
    }

    fn rounds(&self, members: &[u32], _bytes: u64) -> Vec<Vec<Transfer>> {
        vec![Vec::new(); self.numbers(members.len()).len()]
    }
}
