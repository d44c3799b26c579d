//! Prices.

use std::collections::BTreeMap;

use weft_plan::reading::{Result, Section};

use crate::fabric::Price;

/// Reads the prices by what they are counted per.
pub fn read_cost(root: &Section<'_>) -> Result<BTreeMap<String, Price>> {
    let mut cost = BTreeMap::new();
    let Some(section) = root.section("cost")? else {
        return Ok(cost);
    };
    for key in ["fixed", "per_host", "per_switch", "per_port", "per_link"] {
        let Some(price) = section.section(key)? else {
            continue;
        };
        let value = price.number("value", f64::MAX)?;
        let currency = price.required_text("currency", "USD")?.to_owned();
        price.finish()?;
        cost.insert(key.to_owned(), Price { value, currency });
    }
    section.finish()?;
    Ok(cost)
}
