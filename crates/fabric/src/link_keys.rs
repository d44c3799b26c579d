//! The keys of a link, which hosts' links, links between switches and overrides share.

use weft_plan::reading::{Result, Section};

use crate::fabric::{Direction, Link};
use crate::node_set;
use crate::quantity::{BitRate, Nanoseconds, read_loss, read_rate};

const DEFAULT_MTU_BYTES: u32 = 1500;
/// What waits where nothing else is said.
pub const DEFAULT_QUEUE_FRAMES: u32 = 1000;

/// What a section says about a link; what it does not say stays as it is.
pub struct LinkKeys {
    rate: Option<BitRate>,
    rate_back: Option<BitRate>,
    delay: Option<Nanoseconds>,
    delay_back: Option<Nanoseconds>,
    drops_above_bytes: Option<u32>,
    loss_ppm: Option<u32>,
    mtu_bytes: Option<u32>,
    queue_frames: Option<u32>,
}

impl LinkKeys {
    /// Reads the keys; the section may hold others too.
    pub fn read(section: &Section<'_>, scale: f64) -> Result<Self> {
        Ok(Self {
            rate: read_rate(section, "rate", scale)?,
            rate_back: read_rate(section, "rate_back", scale)?,
            delay: section.parsed("delay", Nanoseconds::parse)?,
            delay_back: section.parsed("delay_back", Nanoseconds::parse)?,
            drops_above_bytes: read_packet_bytes(section, "drops_above_bytes")?,
            loss_ppm: read_loss(section)?,
            mtu_bytes: read_packet_bytes(section, "mtu_bytes")?,
            queue_frames: read_queue_frames(section)?,
        })
    }

    /// Changes a link as the keys say. What is said of one direction only holds for both.
    pub fn apply(&self, link: &mut Link) {
        self.apply_to_direction(&mut link.forward, self.rate, self.delay);
        let (rate, delay) = (self.rate_back.or(self.rate), self.delay_back.or(self.delay));
        self.apply_to_direction(&mut link.backward, rate, delay);
        link.mtu_bytes = self.mtu_bytes.unwrap_or(link.mtu_bytes);
        link.queue_frames = self.queue_frames.unwrap_or(link.queue_frames);
    }

    fn apply_to_direction(
        &self,
        direction: &mut Direction,
        rate: Option<BitRate>,
        delay: Option<Nanoseconds>,
    ) {
        direction.rate_bits_per_s = rate.or(direction.rate_bits_per_s);
        direction.delay_ns = delay.unwrap_or(direction.delay_ns);
        direction.drops_above_bytes = self.drops_above_bytes.or(direction.drops_above_bytes);
        direction.loss_ppm = self.loss_ppm.unwrap_or(direction.loss_ppm);
    }
}

/// Reads the length of an IP packet, which may be absent.
pub fn read_packet_bytes(section: &Section<'_>, key: &str) -> Result<Option<u32>> {
    section.count(key, 576..=65_535)
}

/// Reads a link whose ends are still to be filled in.
pub fn read_link(section: &Section<'_>, scale: f64) -> Result<Link> {
    let mut link = unshaped_link();
    LinkKeys::read(section, scale)?.apply(&mut link);
    Ok(link)
}

/// A link without limits, whose ends are still to be filled in.
pub fn unshaped_link() -> Link {
    Link {
        ends: [String::new(), String::new()],
        forward: Direction::default(),
        backward: Direction::default(),
        mtu_bytes: DEFAULT_MTU_BYTES,
        queue_frames: DEFAULT_QUEUE_FRAMES,
        network: 0,
        dead: false,
        inside: false,
    }
}

/// Reads what a direction without a way back may say.
pub fn read_direction(section: &Section<'_>, scale: f64) -> Result<Direction> {
    Ok(Direction {
        rate_bits_per_s: read_rate(section, "rate", scale)?,
        delay_ns: section
            .parsed("delay", Nanoseconds::parse)?
            .unwrap_or_default(),
        drops_above_bytes: read_packet_bytes(section, "drops_above_bytes")?,
        loss_ppm: read_loss(section)?.unwrap_or_default(),
    })
}

/// Reads the length of a queue, which may be absent.
pub fn read_queue_frames(section: &Section<'_>) -> Result<Option<u32>> {
    section.count("queue_frames", 1..=1_000_000)
}

/// Reads which of a host's networks is meant, which users count from 1 and the fabric from 0.
pub fn read_network(section: &Section<'_>) -> Result<u32> {
    let number = section.count("network", 1..=8)?;
    Ok(number.unwrap_or(1) - 1)
}

/// The pairs that two sets of nodes mean. Sets of the same length are paired off; a single node is paired
/// with each of the other set.
pub fn pair_off(
    section: &Section<'_>,
    key: &str,
    left: &str,
    right: &str,
) -> Result<Vec<[String; 2]>> {
    let expand = |set| node_set::expand(set).map_err(|why| section.refuse(key, why));
    let (left, right) = (expand(left)?, expand(right)?);
    if left.len() != right.len() && left.len() != 1 && right.len() != 1 {
        let message = format!("{} nodes cannot be paired with {}", left.len(), right.len());
        return Err(section.refuse(key, message));
    }
    let count = left.len().max(right.len());
    let pair = |i: usize| [left[i % left.len()].clone(), right[i % right.len()].clone()];
    Ok((0..count).map(pair).collect())
}
