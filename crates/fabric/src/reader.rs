//! Checked reading of TOML: every refusal names the file, the line, the key and what would be right.

use std::cell::RefCell;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::FabricError;

type Result<T> = std::result::Result<T, FabricError>;
/// A value with its place in the file.
pub type Value<'a> = Spanned<DeValue<'a>>;

/// The file being read.
pub struct Source<'a> {
    pub origin: &'a str,
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// Parses the whole file.
    pub fn parse(&self) -> Result<Spanned<DeTable<'a>>> {
        DeTable::parse(self.text).map_err(|error| {
            let start = error.span().map(|span| span.start);
            self.error(start, "", format!("not TOML: {}", error.message()))
        })
    }

    /// A refusal at a byte of the file.
    pub fn error(&self, at: Option<usize>, key: &str, message: String) -> FabricError {
        let line = |at: usize| 1 + self.text.bytes().take(at).filter(|b| *b == b'\n').count();
        FabricError {
            origin: self.origin.to_owned(),
            line: at.map(line),
            key: key.to_owned(),
            message,
        }
    }
}

/// One table, which remembers the keys it was asked for, so that the others can be refused.
pub struct Section<'a> {
    source: &'a Source<'a>,
    table: &'a DeTable<'a>,
    start: usize,
    path: String,
    known: RefCell<Vec<&'static str>>,
}

impl<'a> Section<'a> {
    /// The file's outermost table.
    pub fn root(source: &'a Source<'a>, table: &'a Spanned<DeTable<'a>>) -> Self {
        Self::new(source, table.get_ref(), table.span().start, String::new())
    }

    fn new(source: &'a Source<'a>, table: &'a DeTable<'a>, start: usize, path: String) -> Self {
        let known = RefCell::new(Vec::new());
        Self {
            source,
            table,
            start,
            path,
            known,
        }
    }

    /// The value of a key that may be absent.
    pub fn get(&self, key: &'static str) -> Option<&'a Value<'a>> {
        self.known.borrow_mut().push(key);
        self.table.get(key)
    }

    /// A refusal of one key's value.
    pub fn error(&self, key: &str, message: impl Into<String>) -> FabricError {
        let value = self.table.get(key);
        let start = value.map_or(self.start, |value| value.span().start);
        self.source
            .error(Some(start), &self.key_path(key), message.into())
    }

    /// A text that may be absent.
    pub fn text(&self, key: &'static str) -> Result<Option<&'a str>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        match value.get_ref() {
            DeValue::String(text) => Ok(Some(text)),
            other => Err(self.error(key, format!("{} is not a text in quotes", show(other)))),
        }
    }

    /// A text that must be there.
    pub fn required_text(&self, key: &'static str, example: &str) -> Result<&'a str> {
        self.text(key)?.ok_or_else(|| {
            let message = format!("missing; write for example {key} = \"{example}\"");
            self.error(key, message)
        })
    }

    /// A text turned into something by `parse`, which may be absent.
    pub fn parsed<T>(
        &self,
        key: &'static str,
        parse: impl Fn(&str) -> std::result::Result<T, String>,
    ) -> Result<Option<T>> {
        match self.get(key).map(Spanned::get_ref) {
            None => Ok(None),
            Some(DeValue::String(text)) => {
                parse(text).map(Some).map_err(|why| self.error(key, why))
            }
            // A bare number gets the message about its missing unit.
            Some(other) => {
                let why = parse(&show(other)).err();
                Err(self.error(
                    key,
                    why.unwrap_or_else(|| "must be a text in quotes".into()),
                ))
            }
        }
    }

    /// True or false; false where it is absent.
    pub fn flag(&self, key: &'static str) -> Result<bool> {
        match self.get(key).map(Spanned::get_ref) {
            None => Ok(false),
            Some(DeValue::Boolean(flag)) => Ok(*flag),
            Some(other) => {
                let message = format!("{} is neither true nor false", show(other));
                Err(self.error(key, message))
            }
        }
    }

    /// A whole number within bounds, which may be absent.
    pub fn integer(&self, key: &'static str, low: u32, high: u32) -> Result<Option<u32>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let number = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().parse::<u32>().ok(),
            _ => None,
        };
        match number.filter(|number| (low..=high).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => {
                let shown = show(value.get_ref());
                let message = format!("{shown} is not a whole number from {low} to {high}");
                Err(self.error(key, message))
            }
        }
    }

    /// A number, which must be there and not be negative.
    pub fn amount(&self, key: &'static str) -> Result<f64> {
        let number = match self.get(key).map(Spanned::get_ref) {
            Some(DeValue::Integer(number)) => number.as_str().parse::<f64>().ok(),
            Some(DeValue::Float(number)) => number.as_str().parse::<f64>().ok(),
            _ => None,
        };
        number
            .filter(|number| number.is_finite() && *number >= 0.0)
            .ok_or_else(|| self.error(key, "must be a number, zero or more"))
    }

    /// An inner table that may be absent.
    pub fn section(&self, key: &'static str) -> Result<Option<Section<'a>>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let path = self.key_path(key);
        self.table_of(value, path, &format!("a table: [{key}]"))
            .map(Some)
    }

    /// The entries of an array of tables, none where it is absent.
    pub fn sections(&self, key: &'static str) -> Result<Vec<Section<'a>>> {
        let form = format!("tables: [[{key}]]");
        let entries = match self.get(key).map(Spanned::get_ref) {
            None => return Ok(Vec::new()),
            Some(DeValue::Array(entries)) => entries,
            Some(_) => return Err(self.error(key, format!("must be {form}"))),
        };
        let numbered = entries.iter().enumerate();
        numbered
            .map(|(i, value)| {
                let path = format!("{}[{i}]", self.key_path(key));
                self.table_of(value, path, &form)
            })
            .collect()
    }

    /// The texts of an array.
    pub fn texts(&self, key: &'static str) -> Result<Vec<&'a str>> {
        let wrong = || self.error(key, "must be a list of texts, such as [\"n1\", \"n2\"]");
        match self.get(key).map(Spanned::get_ref) {
            Some(DeValue::Array(values)) => values
                .iter()
                .map(|value| value.get_ref().as_str().ok_or_else(wrong))
                .collect(),
            _ => Err(wrong()),
        }
    }

    /// Refuses every key that was not read.
    pub fn finish(&self) -> Result<()> {
        let known = self.known.borrow();
        let unknown = self
            .table
            .keys()
            .find(|key| !known.contains(&key.get_ref().as_ref()));
        match unknown {
            None => Ok(()),
            Some(key) => {
                let message = format!("unknown key; the keys here are {}", known.join(", "));
                let path = self.key_path(key.get_ref());
                Err(self.source.error(Some(key.span().start), &path, message))
            }
        }
    }

    fn table_of(&self, value: &'a Value<'a>, path: String, form: &str) -> Result<Section<'a>> {
        let start = value.span().start;
        match value.get_ref() {
            DeValue::Table(table) => Ok(Section::new(self.source, table, start, path)),
            _ => Err(self
                .source
                .error(Some(start), &path, format!("must be {form}"))),
        }
    }

    fn key_path(&self, key: &str) -> String {
        match self.path.as_str() {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        }
    }
}

fn show(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(truth) => truth.to_string(),
        other => format!("a value of type {}", other.type_str()),
    }
}
