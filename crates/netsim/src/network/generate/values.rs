//! The values that a generator is given.

use std::cell::RefCell;
use std::collections::BTreeMap;

use weft_fabric::{BitRate, Nanoseconds};
use weft_plan::reading::did_you_mean;

/// Values by key; remembers which keys were asked for, so that others can be refused.
pub struct Values<'a> {
    name: &'static str,
    given: &'a BTreeMap<String, String>,
    scale: f64,
    host_names: &'a [String],
    known: RefCell<Vec<&'static str>>,
}

/// A key's value that is large enough for any use and small enough for sums.
const MOST: u64 = 1 << 20;

impl<'a> Values<'a> {
    pub fn new(name: &'static str, given: &'a BTreeMap<String, String>, scale: f64) -> Self {
        Self {
            name,
            given,
            scale,
            host_names: &[],
            known: RefCell::default(),
        }
    }

    /// The same with other names for hosts.
    pub fn naming(self, host_names: &'a [String]) -> Self {
        Self { host_names, ..self }
    }

    /// What the first hosts are called, where a rule generates them.
    pub fn host_names(&self) -> &'a [String] {
        self.host_names
    }

    /// How the network is called: with all that was given.
    pub fn title(&self) -> String {
        let pairs = self
            .given
            .iter()
            .map(|(key, value)| format!("{key}={value}"));
        let pairs: Vec<_> = pairs.collect();
        match pairs.is_empty() {
            true => self.name.to_owned(),
            false => format!("{}({})", self.name, pairs.join(",")),
        }
    }

    /// A whole number of at least `least`.
    pub fn number(&self, key: &'static str, least: u64) -> Result<u64, String> {
        let value = self.number_or(key, least, None)?;
        value.ok_or_else(|| self.missing(key))
    }

    /// The same, with a default.
    pub fn number_or(
        &self,
        key: &'static str,
        least: u64,
        default: Option<u64>,
    ) -> Result<Option<u64>, String> {
        let Some(text) = self.get(key) else {
            return Ok(default);
        };
        let number = text.parse::<u64>().ok();
        let number = number.filter(|number| (least..=MOST).contains(number));
        number
            .map(Some)
            .ok_or_else(|| format!("{key} = {text}: must be a whole number from {least} to {MOST}"))
    }

    /// How many of the places for hosts are taken, the first ones: all where nothing is given.
    pub fn hosts_of(&self, key: &'static str, places: u64) -> Result<u64, String> {
        let hosts = self.number_or(key, 2, Some(places))?.unwrap_or(places);
        match hosts <= places {
            true => Ok(hosts),
            false => Err(format!(
                "{key} = {hosts}: there is room for {places}; make the network larger"
            )),
        }
    }

    /// Whole numbers with an x in between.
    pub fn dims(&self, key: &'static str, least: u64) -> Result<Vec<u64>, String> {
        let text = self.get(key).ok_or_else(|| self.missing(key))?;
        let dims = text.split('x').map(|part| part.trim().parse::<u64>().ok());
        let dims: Option<Vec<_>> = dims.collect();
        dims.filter(|dims| {
            dims.iter().all(|size| (least..=MOST).contains(size)) && dims.len() <= 16
        })
        .ok_or_else(|| format!("{key} = {text}: must be sizes of at least {least}, such as 8x8x4"))
    }

    /// Whether a key is given, which may be.
    pub fn has(&self, key: &'static str) -> bool {
        self.get(key).is_some()
    }

    /// One of some words, the first where nothing is given.
    pub fn choice<T: Copy>(
        &self,
        key: &'static str,
        words: &[(&'static str, T)],
    ) -> Result<T, String> {
        let Some(text) = self.get(key) else {
            return Ok(words[0].1);
        };
        let found = words.iter().find(|(word, _)| *word == text);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            format!("{key} = {text}: must be {}", words.join(" or "))
        })
    }

    /// A rate in bit/s.
    pub fn rate(&self, key: &'static str, default: f64) -> Result<f64, String> {
        let Some(text) = self.get(key) else {
            return Ok(default * self.scale);
        };
        let rate = BitRate::parse(text).map_err(|why| format!("{key}: {why}"))?;
        Ok(rate.0 as f64 * self.scale)
    }

    /// A delay in seconds.
    pub fn delay(&self, key: &'static str, default: f64) -> Result<f64, String> {
        let Some(text) = self.get(key) else {
            return Ok(default);
        };
        let delay = Nanoseconds::parse(text).map_err(|why| format!("{key}: {why}"))?;
        Ok(delay.0 as f64 / 1e9)
    }

    /// That a key is missing, or misspelt.
    fn missing(&self, key: &'static str) -> String {
        let known = self.known.borrow();
        let others = self.given.keys().map(String::as_str);
        let others: Vec<_> = others.filter(|other| !known.contains(other)).collect();
        let near = others
            .iter()
            .find(|other| !did_you_mean(other, std::iter::once(key)).is_empty());
        match near {
            Some(other) => format!("unknown parameter {other:?}, did you mean {key:?}?"),
            None => format!("{key} is missing"),
        }
    }

    /// Refuses keys that were not read.
    pub fn finish(&self) -> Result<(), String> {
        let known = self.known.borrow();
        match self.given.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => Err(format!(
                "unknown parameter {key:?}{}; the parameters are {}",
                did_you_mean(key, known.iter().copied()),
                known.join(", ")
            )),
        }
    }

    fn get(&self, key: &'static str) -> Option<&str> {
        if !self.known.borrow().contains(&key) {
            self.known.borrow_mut().push(key);
        }
        self.given.get(key).map(String::as_str)
    }
}
