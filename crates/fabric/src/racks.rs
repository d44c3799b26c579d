//! `[layout]`: where hosts and switches stand, so that cables have lengths.

use serde::{Deserialize, Serialize};
use weft_plan::reading::{Result, Section};

use crate::quantity::read_metres;

/// Racks in rows, which hosts fill in their order.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Racks {
    pub hosts_per_rack: u32,
    pub racks_per_row: u32,
    /// From one rack of a row to the next.
    pub rack_width_m: f64,
    /// From one row to the next.
    pub row_spacing_m: f64,
    /// What each cable needs beside the way from rack to rack.
    pub slack_m: f64,
    pub switches: Stand,
}

/// Where switches stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stand {
    /// Those with hosts in the rack of these; others in the middle of all racks.
    Rack,
    /// All in the middle of all racks.
    Central,
}

/// Reads `[layout]`, which may be absent.
pub fn read_racks(root: &Section<'_>) -> Result<Option<Racks>> {
    let Some(section) = root.section("layout")? else {
        return Ok(None);
    };
    let hosts_per_rack = section.count("hosts_per_rack", 1..=100_000)?;
    let stands = [("rack", Stand::Rack), ("central", Stand::Central)];
    let racks = Racks {
        hosts_per_rack: hosts_per_rack.ok_or_else(|| {
            section.refuse("hosts_per_rack", "write for example hosts_per_rack = 32")
        })?,
        racks_per_row: section.count("racks_per_row", 1..=100_000)?.unwrap_or(10),
        rack_width_m: read_metres(&section, "rack_width")?.unwrap_or(0.6),
        row_spacing_m: read_metres(&section, "row_spacing")?.unwrap_or(1.8),
        slack_m: read_metres(&section, "slack")?.unwrap_or(2.0),
        switches: section.choice("switches", &stands)?.unwrap_or(Stand::Rack),
    };
    section.finish()?;
    Ok(Some(racks))
}
