//! The keys of a link, which hosts' links and links between switches share.

use crate::error::FabricError;
use crate::fabric::{Lane, Link};
use crate::node_set;
use crate::quantity::{BitRate, Nanoseconds};
use crate::reader::Section;

type Result<T> = std::result::Result<T, FabricError>;

const DEFAULT_MTU_BYTES: u32 = 1500;
const DEFAULT_QUEUE_FRAMES: u32 = 1000;

/// Reads a link whose ends are still to be filled in.
pub fn read_link(section: &Section<'_>, scale: f64) -> Result<Link> {
    let rate = read_rate(section, "rate", scale)?;
    let rate_back = read_rate(section, "rate_back", scale)?.or(rate);
    let delay = section
        .parsed("delay", Nanoseconds::parse)?
        .unwrap_or(Nanoseconds(0));
    let delay_back = section
        .parsed("delay_back", Nanoseconds::parse)?
        .unwrap_or(delay);
    let mtu_bytes = section.integer("mtu_bytes", 576, 65_535)?;
    let queue_frames = section.integer("queue_frames", 1, 1_000_000)?;
    Ok(Link {
        ends: [String::new(), String::new()],
        forward: Lane {
            rate_bits_per_s: rate,
            delay_ns: delay,
        },
        backward: Lane {
            rate_bits_per_s: rate_back,
            delay_ns: delay_back,
        },
        mtu_bytes: mtu_bytes.unwrap_or(DEFAULT_MTU_BYTES),
        queue_frames: queue_frames.unwrap_or(DEFAULT_QUEUE_FRAMES),
    })
}

/// A link without limits, whose ends are still to be filled in.
pub fn unshaped_link() -> Link {
    let lane = Lane {
        rate_bits_per_s: None,
        delay_ns: Nanoseconds(0),
    };
    Link {
        ends: [String::new(), String::new()],
        forward: lane,
        backward: lane,
        mtu_bytes: DEFAULT_MTU_BYTES,
        queue_frames: DEFAULT_QUEUE_FRAMES,
    }
}

/// Reads a rate that may be absent and multiplies it by the scale.
pub fn read_rate(section: &Section<'_>, key: &'static str, scale: f64) -> Result<Option<BitRate>> {
    let Some(rate) = section.parsed(key, BitRate::parse)? else {
        return Ok(None);
    };
    let too_far = || {
        let message = format!("multiplied by the scale {scale} it is not a possible rate");
        section.error(key, message)
    };
    rate.scaled(scale).ok_or_else(too_far).map(Some)
}

/// The two ends of each link that `between` means. Two sets of the same length are paired off; a
/// single node is paired with each of the other set.
pub fn pair_ends(section: &Section<'_>, between: &[&str]) -> Result<Vec<[String; 2]>> {
    let [left, right] = between else {
        return Err(section.error("between", "must name two ends, such as [\"n1\", \"n2\"]"));
    };
    let expand = |set| node_set::expand(set).map_err(|why| section.error("between", why));
    let (left, right) = (expand(left)?, expand(right)?);
    if left.len() != right.len() && left.len() != 1 && right.len() != 1 {
        let message = format!("{} nodes cannot be paired with {}", left.len(), right.len());
        return Err(section.error("between", message));
    }
    let count = left.len().max(right.len());
    let pair = |i: usize| [left[i % left.len()].clone(), right[i % right.len()].clone()];
    Ok((0..count).map(pair).collect())
}
