//! Prices.

use std::collections::BTreeMap;

use crate::error::FabricError;
use crate::fabric::Price;
use crate::reader::Section;

type Result<T> = std::result::Result<T, FabricError>;

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
        let value = price.amount("value")?;
        let currency = price.required_text("currency", "USD")?.to_owned();
        price.finish()?;
        cost.insert(key.to_owned(), Price { value, currency });
    }
    section.finish()?;
    Ok(cost)
}
