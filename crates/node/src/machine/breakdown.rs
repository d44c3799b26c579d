//! Costs in cycles as they are read, whole or by category.

use weft_plan::reading::{Section, Value};

use super::keys::Result;

const MOST_CYCLES: f64 = 1e8;
/// What the bytes of copies are accounted to.
pub const PER_BYTE: &str = "data_copy";

/// The categories that were met in reading.
#[derive(Default)]
pub struct Categories {
    pub names: Vec<String>,
}

impl Categories {
    /// Reads a cost: a number of cycles, or the sum of a table of them by category.
    pub fn read(&mut self, section: &Section, name: &str) -> Result<Option<f64>> {
        let Some(value) = section.get(name) else {
            return Ok(None);
        };
        let right = format!("give cycles from 0 to {MOST_CYCLES}");
        let Value::Table(_) = value else {
            let cycles = number(value);
            let cycles = cycles.ok_or_else(|| section.refuse(name, right + ", or a table of them"));
            return Ok(Some(cycles?.round()));
        };
        let path = section.key(name);
        let table = Section::unchecked(value, &path, "{ tcp_ip = 900, lock = 100 }")?;
        let mut sum = 0.0;
        for category in table.names() {
            let value = table.require(category, &right)?;
            sum += number(value).ok_or_else(|| table.refuse(category, right.clone()))?;
            self.note(category);
        }
        self.note(PER_BYTE);
        Ok(Some(sum.round()))
    }

    /// The cycles of a category in a cost that was read; none in one that is a plain number.
    pub fn part(&self, section: &Section, name: &str, category: usize) -> Result<Option<f64>> {
        let part = |value: &Value| number(value.get(&self.names[category])?);
        Ok(section.get(name).map(|value| part(value).unwrap_or(0.0)))
    }

    fn note(&mut self, category: &str) {
        if !self.names.iter().any(|known| known == category) {
            self.names.push(category.to_owned());
        }
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
