//! What the threads of a site have measured since the last flush, and how each link is.

use std::collections::BTreeMap;
use std::mem;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use super::row::{Event, Row};
use crate::system::clock::time_of_day_ns;

/// Rows kept in memory while the disk takes none: 2.4 MB.
const MOST_ROWS: usize = 100_000;
const MOST_EVENTS: usize = 1000;

pub struct Notes {
    site: String,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    rows: Vec<Row>,
    events: Vec<Event>,
    links: BTreeMap<i16, LinkState>,
}

/// A link since the process began.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LinkState {
    pub link: i16,
    pub address: String,
    #[serde(skip)]
    pub from: Option<IpAddr>,
    pub sent: u64,
    pub lost: u64,
    pub last_us: i64,
    pub last_rtt_ns: Option<u64>,
    /// Kinds that cannot be probed from here, and why.
    pub refused: BTreeMap<&'static str, String>,
}

impl Notes {
    pub fn new(site: &str) -> Notes {
        Notes {
            site: site.to_owned(),
            inner: Mutex::default(),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn add(&self, row: Row) {
        let mut inner = self.inner();
        let state = inner.links.entry(row.link).or_default();
        state.sent += 1;
        state.lost += u64::from(row.rtt_ns.is_none());
        state.last_us = row.time_us;
        state.last_rtt_ns = row.rtt_ns;
        inner.rows.push(row);
        if inner.rows.len() > MOST_ROWS {
            thin(&mut inner.rows);
        }
    }

    pub fn state(&self, link: i16, change: impl FnOnce(&mut LinkState)) {
        let mut inner = self.inner();
        let state = inner.links.entry(link).or_default();
        state.link = link;
        change(state);
    }

    pub fn event(
        &self,
        what: &'static str,
        link: Option<i16>,
        seconds: Option<f64>,
        text: impl Into<String>,
    ) {
        self.push(Event {
            time_s: now_s(),
            what,
            site: self.site.clone(),
            link,
            seconds,
            text: text.into(),
        });
    }

    /// Note what began so many seconds ago and lasted so long, both in seconds.
    pub fn span(
        &self,
        what: &'static str,
        link: Option<i16>,
        (ago_s, lasted_s): (f64, f64),
        text: impl Into<String>,
    ) {
        self.push(Event {
            time_s: now_s() - ago_s,
            what,
            site: self.site.clone(),
            link,
            seconds: (lasted_s > 0.0).then_some(lasted_s),
            text: text.into(),
        });
    }

    fn push(&self, event: Event) {
        let mut inner = self.inner();
        if inner.events.len() < MOST_EVENTS {
            inner.events.push(event);
        }
    }

    pub fn take(&self) -> (Vec<Row>, Vec<Event>) {
        let mut inner = self.inner();
        (mem::take(&mut inner.rows), mem::take(&mut inner.events))
    }

    /// Put back what the disk did not take.
    pub fn put_back(&self, mut rows: Vec<Row>, mut events: Vec<Event>) {
        let mut inner = self.inner();
        rows.append(&mut inner.rows);
        events.append(&mut inner.events);
        (inner.rows, inner.events) = (rows, events);
    }

    pub fn links(&self, known: &[i16]) -> Vec<LinkState> {
        let inner = self.inner();
        let chosen = known.iter().filter_map(|link| inner.links.get(link));
        chosen.cloned().collect()
    }
}

fn now_s() -> f64 {
    time_of_day_ns() as f64 / 1e9
}

/// Drop half of the rows: of each link 16 are kept and 16 dropped, so that each kind and size remains.
pub fn thin(rows: &mut Vec<Row>) {
    let mut seen: BTreeMap<i16, u64> = BTreeMap::new();
    rows.retain(|row| {
        let count = seen.entry(row.link).or_default();
        *count += 1;
        (*count - 1) / 16 % 2 == 0
    });
}
