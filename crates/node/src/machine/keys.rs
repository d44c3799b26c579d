//! Keys that a machine must have.

pub use weft_plan::reading::Result;
use weft_plan::reading::{Quantity, Section};

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
