//! What a switch carries where that depends on how many ports contend for it.

use serde::{Deserialize, Serialize};
use weft_plan::reading::{Result, Section, Value};

use crate::quantity::{BitRate, read_rate};

/// Capacities by the number of ports that contend, fewest first. Between two of them a capacity lies on the straight line;
/// with fewer ports than the first it is the first, with more than the last the last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CapacityByPorts(Vec<(u32, BitRate)>);

impl CapacityByPorts {
    /// What so many ports get in all, in bit/s.
    pub fn at(&self, ports: u32) -> f64 {
        let (last, points) = (self.0.len() - 1, &self.0);
        let rate = |at: usize| points[at].1.0 as f64;
        match points.partition_point(|point| point.0 <= ports) {
            0 => rate(0),
            above if above > last => rate(last),
            above => {
                let (low, high) = (points[above - 1].0, points[above].0);
                let part = f64::from(ports - low) / f64::from(high - low);
                rate(above - 1) + part * (rate(above) - rate(above - 1))
            }
        }
    }

    /// The greatest.
    pub fn most(&self) -> BitRate {
        let rates = self.0.iter().map(|point| point.1);
        rates.max().expect("there is one at least")
    }

    fn read(section: &Section<'_>, scale: f64) -> Result<Self> {
        let mut points = Vec::new();
        for name in section.names() {
            let right = "must be a number of ports from 1 on, as in { 8 = \"1400 Mb/s\", 24 = \"1600 Mb/s\" }";
            let ports = name.parse().ok().filter(|ports| *ports > 0);
            let ports: u32 = ports.ok_or_else(|| section.refuse(name, right))?;
            if points.iter().any(|(known, _)| *known == ports) {
                return Err(section.refuse(name, "this number of ports is there twice"));
            }
            points.extend(read_rate(section, name, scale)?.map(|rate| (ports, rate)));
        }
        points.sort_unstable();
        Ok(Self(points))
    }
}

/// Reads the `capacity` of a switch, which may be absent: the greatest, and all of them where they depend on ports.
pub fn read_capacity(
    section: &Section<'_>,
    scale: f64,
) -> Result<(Option<BitRate>, Option<CapacityByPorts>)> {
    const KEY: &str = "capacity";
    match section.get(KEY) {
        Some(Value::Table(table)) if table.is_empty() => {
            Err(section.refuse(KEY, "says nothing; write for example { 8 = \"1400 Mb/s\" }"))
        }
        Some(value @ Value::Table(_)) => {
            let inner = Section::unchecked(value, &section.key(KEY), "{ 8 = \"1400 Mb/s\" }")?;
            let by_ports = CapacityByPorts::read(&inner, scale)?;
            Ok((Some(by_ports.most()), Some(by_ports)))
        }
        _ => Ok((read_rate(section, KEY, scale)?, None)),
    }
}
