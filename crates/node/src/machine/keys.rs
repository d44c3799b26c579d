//! Keys that a machine must have.

pub use weft_plan::reading::Result;
use weft_plan::reading::{Quantity, SPAN, Section, Value};

const MOST_CYCLES: f64 = 1e6;

pub fn table<'a>(root: &Section<'a>, name: &str) -> Result<Section<'a>> {
    let value = root.require(name, &format!("describe it in a table: [{name}]"))?;
    Section::unchecked(value, name, &format!("[{name}] followed by its keys"))
}

pub fn amount(section: &Section, name: &str, kind: &Quantity, least: u64) -> Result<u64> {
    let found = section.quantity(name, kind, least)?;
    found.ok_or_else(|| {
        section.refuse(
            name,
            format!("give a {}, such as {:?}", kind.noun, kind.example),
        )
    })
}

pub fn count(section: &Section, name: &str, range: std::ops::RangeInclusive<u32>) -> Result<u32> {
    let right = format!(
        "give a whole number from {} to {}",
        range.start(),
        range.end()
    );
    let found = section.count(name, range)?;
    found.ok_or_else(|| section.refuse(name, right))
}

/// The time of an access, in picoseconds: given as a time, or in cycles of the host, which change with its clock.
pub fn access_time(section: &Section, name: &str, clock_hz: u64) -> Result<u64> {
    let Some(text) = section.get(name).and_then(Value::as_str) else {
        return amount(section, name, &SPAN, 0);
    };
    let Some((number, "cycle" | "cycles")) = text.split_once(' ') else {
        return amount(section, name, &SPAN, 0);
    };
    let cycles = number
        .parse()
        .ok()
        .filter(|one| (0.0..=MOST_CYCLES).contains(one));
    let right = || format!("cycles are a number from 0 to {MOST_CYCLES}, such as \"3 cycles\"");
    let cycles: f64 = cycles.ok_or_else(|| section.refuse(name, right()))?;
    Ok((cycles * 1e12 / clock_hz as f64).round() as u64)
}
