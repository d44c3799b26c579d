//! The host's memory: by its mean access time, or by caches that remember what was touched.

use weft_plan::reading::{RATE, SIZE, SPAN, Section};

use super::cache::{Cache, read_caches};
use super::footprints::Footprints;
use super::keys::{Result, access_time, amount, table};

/// What accesses cost, and what they hold up for others.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    pub bus_bits_per_s: u64,
    /// What an access that missed takes besides, if the bridge is taken.
    pub collision_ps: u64,
    pub model: MemoryModel,
}

#[derive(Debug, Clone, PartialEq)]
pub enum MemoryModel {
    Mean(MeanAccess),
    Caches(Caches),
}

/// hit_rate * hit + (1 - hit_rate) * miss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanAccess {
    pub hit_rate: f64,
    pub hit_ps: u64,
    pub miss_ps: u64,
    /// What a miss fetches over the memory bus.
    pub line_bytes: u64,
    /// What part of accesses the bridge sees: those that miss, unless it is said.
    pub bridge_share: f64,
}

/// Caches, from the inside out, and the memory behind them.
#[derive(Debug, Clone, PartialEq)]
pub struct Caches {
    pub all: Vec<Cache>,
    /// What an access takes besides that missed all of them.
    pub latency_ps: u64,
    /// So many writes may be on their way while a processor goes on; 0: it waits for each.
    pub write_buffer: u32,
    pub footprints: Footprints,
}

impl Memory {
    /// The mean access time; with caches nothing, since they give the time of each access.
    pub fn access_ps(&self) -> f64 {
        match &self.model {
            MemoryModel::Mean(mean) => mean.access_ps(),
            MemoryModel::Caches(_) => 0.0,
        }
    }

    /// What part of accesses the bridge sees; with caches only such are counted.
    pub fn bridge_share(&self) -> f64 {
        match &self.model {
            MemoryModel::Mean(mean) => mean.bridge_share,
            MemoryModel::Caches(_) => 1.0,
        }
    }

    /// How long an access that missed holds the bus: while a line crosses it.
    pub fn hold_ps(&self) -> f64 {
        let line_ps = |bytes: u64| bytes as f64 * 8e12 / self.bus_bits_per_s as f64;
        match &self.model {
            MemoryModel::Mean(mean) => line_ps(mean.line_bytes).min(mean.miss_ps as f64),
            MemoryModel::Caches(caches) => {
                let outermost = caches.all.iter().map(|one| one.line_bytes).max();
                line_ps(outermost.unwrap_or(0)).min(caches.latency_ps as f64)
            }
        }
    }

    /// Those that remember what was touched, if that is how this memory is described.
    pub fn caches(&self) -> Option<&Caches> {
        match &self.model {
            MemoryModel::Mean(_) => None,
            MemoryModel::Caches(caches) => Some(caches),
        }
    }
}

impl MeanAccess {
    fn access_ps(&self) -> f64 {
        self.hit_rate * self.hit_ps as f64 + (1.0 - self.hit_rate) * self.miss_ps as f64
    }
}

const MEAN_KEYS: [&str; 5] = ["hit_rate", "hit", "miss", "line", "bridge_share"];

/// Reads [memory] and, for caches, [footprints], of a host of that clock.
pub fn read_memory(root: &Section, clock_hz: u64) -> Result<Memory> {
    let section = table(root, "memory")?;
    section.check_keys(&[
        "model",
        "hit_rate",
        "hit",
        "miss",
        "line",
        "bridge_share",
        "latency",
        "write_buffer",
        "caches",
        "bus",
        "collision",
    ])?;
    let is_mean = MEAN_KEYS.iter().any(|key| section.get(key).is_some());
    let has_caches = section.get("caches").is_some();
    let both = [("mean", false), ("caches", true)];
    let wants_caches = match section.choice("model", &both)? {
        Some(wanted) => wanted,
        None if is_mean && has_caches => {
            let right = "there are both a mean access time and caches; say \"mean\" or \"caches\"";
            return Err(section.refuse("model", right));
        }
        None => has_caches,
    };
    // What is described is checked, whether it is asked for or not.
    let mean = (is_mean || !wants_caches).then(|| read_mean(&section, clock_hz));
    let caches = (has_caches || wants_caches).then(|| read_all(&section, root, clock_hz));
    let (mean, caches) = (mean.transpose()?, caches.transpose()?);
    let mean = mean.map(MemoryModel::Mean);
    let caches = caches.map(MemoryModel::Caches);
    let model = if wants_caches { caches } else { mean };
    Ok(Memory {
        bus_bits_per_s: amount(&section, "bus", &RATE, 1)?,
        collision_ps: amount(&section, "collision", &SPAN, 0)?,
        model: model.ok_or_else(|| section.refuse("model", "describe it"))?,
    })
}

fn read_mean(section: &Section, clock_hz: u64) -> Result<MeanAccess> {
    let hit_rate = section.number("hit_rate", 1.0)?;
    let mean = MeanAccess {
        hit_rate,
        hit_ps: access_time(section, "hit", clock_hz)?,
        miss_ps: access_time(section, "miss", clock_hz)?,
        line_bytes: amount(section, "line", &SIZE, 1)?,
        bridge_share: match section.get("bridge_share") {
            Some(_) => section.number("bridge_share", 1.0)?,
            None => 1.0 - hit_rate,
        },
    };
    match mean.miss_ps < mean.hit_ps {
        true => Err(section.refuse("miss", "must not be less than `hit`")),
        false => Ok(mean),
    }
}

fn read_all(section: &Section, root: &Section, clock_hz: u64) -> Result<Caches> {
    let all = read_caches(section, clock_hz)?;
    let latency_ps = amount(section, "latency", &SPAN, 0)?;
    let slowest = all.iter().max_by_key(|one| one.read_ps);
    if let Some(slowest) = slowest.filter(|one| one.read_ps > latency_ps) {
        let right = format!("memory must not be faster than {}", slowest.name);
        return Err(section.refuse("latency", right));
    }
    Ok(Caches {
        all,
        latency_ps,
        write_buffer: section.count("write_buffer", 0..=1024)?.unwrap_or(0),
        footprints: Footprints::read(&table(root, "footprints")?)?,
    })
}
