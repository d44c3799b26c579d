//! What software costs, from a description.

use weft_plan::reading::Section;

use super::read::{Result, number};
use super::{Breakdown, Costs, Remote};

/// Reads the costs, and notes which of them are given by category.
pub fn read(section: &Section, breakdown: &mut Breakdown) -> Result<Costs> {
    section.check_keys(&[
        "accesses_per_cycle",
        "interrupt",
        "driver",
        "page",
        "page_out",
        "merge",
        "driver_out",
        "softirq",
        "protocol",
        "protocol_out",
        "acknowledgement",
        "copy_in",
        "copy_out",
        "remote",
        "copy_in_accesses_per_byte",
        "refill",
        "wake_up",
        "context_switch",
        "system_call",
        "protocol_accesses_per_byte",
        "checksum_accesses_per_byte",
        "copy_accesses_per_byte",
    ])?;
    let remote = read_remote(section, breakdown)?;
    let mut given = |name: &str| breakdown.read(section, name);
    let (page, copy_in, copy_out) = (given("page")?, given("copy_in")?, given("copy_out")?);
    let (driver_out, protocol_out) = (given("driver_out")?, given("protocol_out")?);
    let (page_out, merge) = (given("page_out")?, given("merge")?);
    let acknowledgement = given("acknowledgement")?;
    let mut cycles = |name: &str| {
        let right = "give cycles, such as 250, or a table of them by category";
        given(name)?.ok_or_else(|| section.refuse(name, right))
    };
    let (driver, protocol) = (cycles("driver")?, cycles("protocol")?);
    let copy_accesses = number(section, "copy_accesses_per_byte", 100.0)?;
    let copy_in_accesses = match section.get("copy_in_accesses_per_byte") {
        Some(_) => number(section, "copy_in_accesses_per_byte", 100.0)?,
        None => copy_accesses,
    };
    Ok(Costs {
        accesses_per_cycle: number(section, "accesses_per_cycle", 10.0)?,
        interrupt: cycles("interrupt")?,
        driver,
        page: page.unwrap_or(0),
        page_out: page_out.unwrap_or(0),
        merge: merge.unwrap_or(0),
        driver_out: driver_out.unwrap_or(driver),
        softirq: cycles("softirq")?,
        protocol,
        acknowledgement: acknowledgement.unwrap_or(protocol),
        protocol_out: protocol_out.unwrap_or(protocol),
        copy_in: copy_in.unwrap_or(0),
        copy_out: copy_out.unwrap_or(0),
        refill: cycles("refill")?,
        wake_up: cycles("wake_up")?,
        context_switch: cycles("context_switch")?,
        system_call: cycles("system_call")?,
        protocol_accesses_per_byte: number(section, "protocol_accesses_per_byte", 100.0)?,
        checksum_accesses_per_byte: number(section, "checksum_accesses_per_byte", 100.0)?,
        copy_accesses_per_byte: copy_accesses,
        copy_in_accesses_per_byte: copy_in_accesses,
        remote,
    })
}

fn read_remote(section: &Section, breakdown: &mut Breakdown) -> Result<Remote> {
    let Some(value) = section.get("remote") else {
        return Ok(Remote::default());
    };
    let path = section.key("remote");
    let known = ["frame", "segment", "copy", "accesses_per_byte"];
    let section = Section::of(value, &path, &known, "{ frame = 100 }")?;
    Ok(Remote {
        frame: breakdown.read(&section, "frame")?.unwrap_or(0),
        segment: breakdown.read(&section, "segment")?.unwrap_or(0),
        copy: breakdown.read(&section, "copy")?.unwrap_or(0),
        accesses_per_byte: match section.get("accesses_per_byte") {
            Some(_) => number(&section, "accesses_per_byte", 100.0)?,
            None => 0.0,
        },
    })
}
