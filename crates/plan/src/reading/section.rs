//! Checked reading of TOML tables: every refusal names the key, the value and what would be right.

use std::cell::RefCell;
use std::ops::RangeInclusive;

use toml::{Table, Value};

use crate::error::{Fault, PlanError, Result};
use crate::reading::{Quantity, SIZE, TIME};

use super::place::line_of;
use super::setting::{Setting, blame, with};

/// What is said of a value that is no text.
pub(crate) const NO_TEXT: &str = "must be text in quotes";

/// Reads a description with `read`, with overrides applied first; see `load`.
pub fn document<T>(
    text: &str,
    origin: &str,
    overrides: &[(String, String)],
    read: impl Fn(&Value) -> Result<T>,
) -> Result<T, PlanError> {
    let table: Table = text
        .parse()
        .map_err(|error| PlanError::syntax(origin, text, &error))?;
    let mut whole = Value::Table(table);
    let mut settings = Vec::new();
    for (key, value) in overrides {
        for key in Setting::keys(&whole, key) {
            settings.push(Setting::apply(&mut whole, origin, &key, value)?);
        }
    }
    read(&whole).map_err(|fault| match blame(&settings, &fault) {
        Some(given) => PlanError::Value {
            origin: with(origin, given),
            line: None,
            fault,
        },
        None => PlanError::Value {
            origin: origin.to_owned(),
            line: line_of(text, &fault.key),
            fault,
        },
    })
}

/// A table and where it stands, such as `steps[0].sizes`; it remembers the keys that were read.
pub struct Section<'a> {
    table: &'a Table,
    path: String,
    read: RefCell<Vec<String>>,
}

impl<'a> Section<'a> {
    /// A section that may hold the `known` keys and no others.
    pub fn new(table: &'a Table, path: &str, known: &[&str]) -> Result<Self> {
        let section = Self::at(table, path);
        section.check_keys(known).map(|()| section)
    }

    /// Like `new`, of a value that must be a table.
    pub fn of(value: &'a Value, path: &str, known: &[&str], example: &str) -> Result<Self> {
        let section = Self::unchecked(value, path, example)?;
        section.check_keys(known).map(|()| section)
    }

    /// Like `of`, where the keys that there may be depend on what is inside.
    pub fn unchecked(value: &'a Value, path: &str, example: &str) -> Result<Self> {
        match value {
            Value::Table(table) => Ok(Self::at(table, path)),
            _ => Err(Fault::new(
                path,
                value,
                format!("must be a table, such as {example}"),
            )),
        }
    }

    fn at(table: &'a Table, path: &str) -> Self {
        Self {
            table,
            path: path.to_owned(),
            read: RefCell::default(),
        }
    }

    /// Refuses every key that was not read.
    pub fn finish(&self) -> Result<()> {
        let read = self.read.borrow();
        self.check_keys(&read.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Refuses every key but the `known`.
    pub fn check_keys(&self, known: &[&str]) -> Result<()> {
        let mut keys = self.table.iter();
        match keys.find(|(key, _)| !known.contains(&key.as_str())) {
            Some((key, value)) => Err(Fault::new(self.key(key), value, unknown_key(key, known))),
            None => Ok(()),
        }
    }

    /// The full name of a key of this section.
    pub fn key(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    /// The value of a key that may be absent.
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        let mut read = self.read.borrow_mut();
        if !read.iter().any(|known| known == name) {
            read.push(name.to_owned());
        }
        self.table.get(name)
    }

    /// The value of a key that must be there.
    pub fn require(&self, name: &str, right: &str) -> Result<&'a Value> {
        self.get(name)
            .ok_or_else(|| Fault::missing(self.key(name), right))
    }

    /// A refusal of the value that stands at `name`.
    pub fn refuse(&self, name: &str, right: impl Into<String>) -> Fault {
        match self.table.get(name) {
            Some(value) => Fault::new(self.key(name), value, right),
            None => Fault::missing(self.key(name), right),
        }
    }

    /// Refuses a key that means nothing here: an input must never quietly do nothing.
    pub fn only_for(&self, name: &str, owner: &str) -> Result<()> {
        match self.get(name) {
            Some(_) => Err(self.refuse(name, format!("belongs to {owner}; remove it here"))),
            None => Ok(()),
        }
    }

    /// Refuses a key that means nothing between many nodes.
    pub fn only_for_pairs(&self, name: &str) -> Result<()> {
        self.only_for(name, "pattern = \"pingpong\" or \"stream\"")
    }

    /// What `read` makes of a value that may be absent; its error is what would be right.
    pub fn value<T, E: Into<String>>(
        &self,
        name: &str,
        read: impl FnOnce(&'a Value) -> Result<T, E>,
    ) -> Result<Option<T>> {
        let read = |value| read(value).map_err(|right| self.refuse(name, right));
        self.get(name).map(read).transpose()
    }

    /// A text that may be absent.
    pub fn text(&self, name: &str) -> Result<Option<&'a str>> {
        self.value(name, |value| value.as_str().ok_or(NO_TEXT))
    }

    /// A text that must be there.
    pub fn required_text(&self, name: &str, example: &str) -> Result<&'a str> {
        let right = || self.refuse(name, format!("write for example {name} = {example:?}"));
        self.text(name)?.ok_or_else(right)
    }

    /// A text turned into something by `parse`, or absent.
    pub fn parsed<T>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>> {
        self.value(name, |value| match value {
            Value::String(text) => parse(text),
            // A bare number gets the message about its missing unit.
            other => parse(&other.to_string()),
        })
    }

    /// The texts of a list that must be there.
    pub fn texts(&self, name: &str) -> Result<Vec<&'a str>> {
        let right = "must be a list of texts, such as [\"n1\", \"n2\"]";
        let values = self.get(name).and_then(Value::as_array);
        let texts = values.and_then(|values| values.iter().map(Value::as_str).collect());
        texts.ok_or_else(|| self.refuse(name, right))
    }

    /// A number from 0 to `most` that must be there.
    pub fn number(&self, name: &str, most: f64) -> Result<f64> {
        let found = match self.get(name) {
            Some(Value::Float(number)) => Some(*number),
            Some(Value::Integer(number)) => Some(*number as f64),
            _ => None,
        };
        let found = found.filter(|number| (0.0..=most).contains(number));
        found.ok_or_else(|| self.refuse(name, format!("must be a number from 0 to {most}")))
    }

    /// A table inside, or absent.
    pub fn section(&self, name: &str) -> Result<Option<Section<'a>>> {
        let example = format!("[{name}] followed by its keys");
        let inner = |value| Self::unchecked(value, &self.key(name), &example);
        self.get(name).map(inner).transpose()
    }

    /// The tables of a list, none where it is absent.
    pub fn sections(&self, name: &str) -> Result<Vec<Section<'a>>> {
        let example = format!("[[{name}]] followed by its keys");
        let values = match self.get(name) {
            None => return Ok(Vec::new()),
            Some(Value::Array(values)) => values,
            Some(_) => return Err(self.refuse(name, format!("must be tables: {example}"))),
        };
        let key = self.key(name);
        let inner = |(index, value)| Self::unchecked(value, &format!("{key}[{index}]"), &example);
        values.iter().enumerate().map(inner).collect()
    }

    /// A short identifier: it ends up in file names, override keys and tables.
    pub fn name(&self, name: &str) -> Result<Option<String>> {
        const LONGEST: usize = 64;
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let numeric = text.chars().all(|c| c.is_ascii_digit());
        if numeric || text.len() > LONGEST || !text.chars().all(plain) {
            let right = "a name is letters, digits, - and _, not all digits, at most 64 of them";
            return Err(self.refuse(name, right));
        }
        Ok(Some(text.to_owned()))
    }

    /// True or false, or absent.
    pub fn flag(&self, name: &str) -> Result<Option<bool>> {
        self.value(name, |value| value.as_bool().ok_or("must be true or false"))
    }

    /// A whole number within a range, or absent.
    pub fn count(&self, name: &str, range: RangeInclusive<u32>) -> Result<Option<u32>> {
        self.value(name, |value| count(value, range))
    }

    /// A size in bytes, more than zero.
    pub fn size(&self, name: &str) -> Result<Option<u64>> {
        self.quantity(name, &SIZE, 1)
    }

    /// A size in bytes that may be zero, as a perturbation may.
    pub fn size_or_zero(&self, name: &str) -> Result<Option<u64>> {
        self.quantity(name, &SIZE, 0)
    }

    /// Its keys, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.table.keys().map(String::as_str)
    }

    /// A time in nanoseconds, more than zero.
    pub fn time(&self, name: &str) -> Result<Option<u64>> {
        self.quantity(name, &TIME, 1)
    }

    /// A quantity in the smallest unit of its kind, at least `least`, or absent.
    pub fn quantity(&self, name: &str, kind: &Quantity, least: u64) -> Result<Option<u64>> {
        self.value(name, |value| quantity(value, kind, least))
    }

    /// One of the named values; another is refused with the list of them.
    pub fn choice<T: Copy>(&self, name: &str, known: &[(&str, T)]) -> Result<Option<T>> {
        let choose = |text| {
            let found = known.iter().find(|(candidate, _)| *candidate == text);
            let names = known.iter().map(|(key, _)| *key);
            let right = || self.refuse(name, unknown_choice(name, text, names));
            found.map(|(_, meaning)| *meaning).ok_or_else(right)
        };
        self.text(name)?.map(choose).transpose()
    }

    /// One of the named values, which must be given.
    pub fn required_choice<T: Copy>(&self, name: &str, known: &[(&str, T)]) -> Result<T> {
        self.choice(name, known)?.ok_or_else(|| {
            let names: Vec<_> = known.iter().map(|(key, _)| *key).collect();
            self.refuse(name, format!("give one of: {}", names.join(", ")))
        })
    }
}

/// A size in bytes, more than zero, or what would be right.
pub(crate) fn size(value: &Value) -> Result<u64, String> {
    quantity(value, &SIZE, 1)
}

/// A whole number within the range, or what would be right.
pub(crate) fn count(value: &Value, range: RangeInclusive<u32>) -> Result<u32, String> {
    let number = value
        .as_integer()
        .and_then(|number| u32::try_from(number).ok());
    number
        .filter(|number| range.contains(number))
        .ok_or_else(|| {
            format!(
                "must be a whole number from {} to {}",
                range.start(),
                range.end()
            )
        })
}

fn quantity(value: &Value, kind: &Quantity, least: u64) -> Result<u64, String> {
    let amount = match value {
        Value::String(text) => kind.parse(text)?,
        Value::Integer(number) if *number <= 0 => return Err(kind.not_positive()),
        Value::Float(number) if *number <= 0.0 => return Err(kind.not_positive()),
        _ => return Err(kind.unitless()),
    };
    if amount < least {
        Err(kind.not_positive())
    } else {
        Ok(amount)
    }
}

/// What is said of an unknown key.
pub fn unknown_key(key: &str, known: &[&str]) -> String {
    format!(
        "unknown key{}; known here: {}",
        did_you_mean(key, known.iter().copied()),
        known.join(", ")
    )
}

fn unknown_choice<'k>(
    noun: &str,
    found: &str,
    known: impl Iterator<Item = &'k str> + Clone,
) -> String {
    let listed = known.clone().collect::<Vec<_>>().join(", ");
    format!(
        "unknown {noun}{}; known: {listed}",
        did_you_mean(found, known)
    )
}

/// `, did you mean "sizes"?` when something known is close, else nothing.
pub fn did_you_mean<'k>(found: &str, known: impl Iterator<Item = &'k str>) -> String {
    const CLOSE: f64 = 0.75;
    let likeness = |candidate: &str| strsim::jaro_winkler(found, candidate);
    known
        .map(|candidate| (likeness(candidate), candidate))
        .filter(|(likeness, _)| *likeness >= CLOSE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(String::new(), |(_, candidate)| {
            format!(", did you mean {candidate:?}?")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        text.parse().unwrap()
    }

    #[test]
    fn an_unknown_key_is_answered_with_the_nearest() {
        let table = table("szies = 1");
        let fault = Section::new(&table, "steps[0]", &["name", "sizes"])
            .err()
            .unwrap();
        assert_eq!(fault.key, "steps[0].szies");
        assert_eq!(
            fault.right,
            "unknown key, did you mean \"sizes\"?; known here: name, sizes"
        );
    }

    #[test]
    fn counts_keep_to_their_range() {
        let table = table("a = 3\nb = -1\nc = 5000000000\nd = 1.5");
        let section = Section::new(&table, "", &["a", "b", "c", "d"]).unwrap();
        assert_eq!(section.count("a", 1..=9), Ok(Some(3)));
        assert_eq!(section.count("none", 1..=9), Ok(None));
        for name in ["b", "c", "d"] {
            let fault = section.count(name, 1..=9).unwrap_err();
            assert_eq!(
                (fault.key.as_str(), fault.right.as_str()),
                (name, "must be a whole number from 1 to 9")
            );
        }
    }

    #[test]
    fn a_bare_number_is_no_size() {
        assert!(size(&Value::Integer(-5)).unwrap_err().contains("positive"));
        assert!(
            size(&Value::Integer(5))
                .unwrap_err()
                .contains("needs a unit")
        );
        assert!(
            size(&Value::Float(f64::NAN))
                .unwrap_err()
                .contains("needs a unit")
        );
        assert!(
            size(&Value::String("0 B".into()))
                .unwrap_err()
                .contains("positive")
        );
        assert_eq!(size(&Value::String("5 B".into())), Ok(5));
    }
}
