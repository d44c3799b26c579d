//! Costs in cycles, whole or by category.

use weft_plan::reading::{Section, Value};

use super::keys::Result;

const MOST_CYCLES: f64 = 1e8;
/// What the bytes of copies are accounted to.
pub const PER_BYTE: &str = "data_copy";

/// Of each cost that is given by category: the categories' cycles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Breakdown {
    /// In the order in which the description has them.
    pub categories: Vec<String>,
    parts: Vec<(String, Vec<(usize, f64)>)>,
}

impl Breakdown {
    /// Whether the description says anything about categories.
    pub fn is_known(&self) -> bool {
        !self.parts.is_empty()
    }

    /// A cost by category: pairs of a category's index and cycles; nothing where it is not known.
    pub fn of(&self, cost: &str) -> &[(usize, f64)] {
        let found = self.parts.iter().find(|(name, _)| name == cost);
        found.map_or(&[], |(_, parts)| parts)
    }

    /// Reads a cost: a number of cycles, or a table of them by category. Gives back the sum.
    pub(super) fn read(&mut self, section: &Section, name: &str) -> Result<Option<u64>> {
        let Some(value) = section.get(name) else {
            return Ok(None);
        };
        let Value::Table(_) = value else {
            let right = format!("give cycles from 0 to {MOST_CYCLES}, or a table of them");
            let cycles = number(value).ok_or_else(|| section.refuse(name, right))?;
            return Ok(Some(cycles.round() as u64));
        };
        let path = section.key(name);
        let table = Section::unchecked(value, &path, "{ tcp_ip = 900, lock = 100 }")?;
        let mut parts = Vec::new();
        for category in table.names() {
            let right = format!("give cycles from 0 to {MOST_CYCLES}");
            let value = table.require(category, &right)?;
            let cycles = number(value).ok_or_else(|| table.refuse(category, right))?;
            parts.push((self.index(category), cycles));
        }
        self.index(PER_BYTE);
        let sum: f64 = parts.iter().map(|(_, cycles)| cycles).sum();
        self.parts.push((path.replace("costs.", ""), parts));
        Ok(Some(sum.round() as u64))
    }

    /// A category's place, at the end where it is new.
    pub(super) fn index(&mut self, category: &str) -> usize {
        let known = self.categories.iter().position(|one| one == category);
        known.unwrap_or_else(|| {
            self.categories.push(category.to_owned());
            self.categories.len() - 1
        })
    }
}

fn number(value: &Value) -> Option<f64> {
    let found = match value {
        Value::Float(number) => *number,
        Value::Integer(number) => *number as f64,
        _ => return None,
    };
    (0.0..=MOST_CYCLES).contains(&found).then_some(found)
}
