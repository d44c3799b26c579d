//! The processors of a node.

use weft_plan::reading::{CLOCK, Section};

use super::keys::{Result, amount};

/// More would make the search for the next event slow.
const MOST_PROCESSORS: usize = 16;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processor {
    pub name: String,
    pub clock_hz: u64,
    /// Whether it is the network interface's: apart from the host's memory bus and without interrupts.
    pub on_nic: bool,
}

/// Those of the host first.
pub fn read_processors(root: &Section) -> Result<Vec<Processor>> {
    let right = "give at least one: [[processors]] with a name and a clock";
    let values = root.require("processors", right)?.as_array();
    let values = values.filter(|values| (1..=MOST_PROCESSORS).contains(&values.len()));
    let values = values.ok_or_else(|| root.refuse("processors", right))?;
    let mut processors = Vec::new();
    for (index, value) in values.iter().enumerate() {
        let path = format!("processors[{index}]");
        let section = Section::of(value, &path, &["name", "clock", "on_nic"], "[[processors]]")?;
        let name = section.name("name")?;
        let one = Processor {
            name: name.ok_or_else(|| section.refuse("name", "such as \"cpu0\""))?,
            clock_hz: amount(&section, "clock", &CLOCK, 1)?,
            on_nic: section.flag("on_nic")?.unwrap_or(false),
        };
        check(&one, &processors, &section)?;
        processors.push(one);
    }
    processors.sort_by_key(|one| one.on_nic);
    Ok(processors)
}

fn check(one: &Processor, earlier: &[Processor], section: &Section) -> Result<()> {
    if earlier.iter().any(|other| other.name == one.name) {
        return Err(section.refuse("name", "give each processor its own name"));
    }
    if one.on_nic && earlier.iter().any(|other| other.on_nic) {
        return Err(section.refuse("on_nic", "a network interface has one processor"));
    }
    Ok(())
}
