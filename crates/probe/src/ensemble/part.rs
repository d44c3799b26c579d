//! A member's part in a phase, and what it amounts to.

use serde::Deserialize;
use weft_plan::{StopRule, Work};

use super::error::SessionError;

/// Warm-up of a timed stream, as a part of a trial.
const WARM_UP_DIVISOR: u64 = 4;
const MOST_STREAMS: u32 = 1024;
const MOST_CHUNK_BYTES: u64 = 64 << 20;

/// What one node does in one phase.
#[derive(Debug, Deserialize)]
pub struct Part {
    pub phase: u32,
    pub work: Work,
    pub size_bytes: u64,
    pub stop: StopRule,
    pub chunk_bytes: Option<u64>,
    pub send: Vec<Outgoing>,
    pub receive: Vec<Incoming>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Outgoing {
    pub dst: u32,
    #[serde(default = "one")]
    pub streams: u32,
    #[serde(default)]
    pub network: u32,
    /// To send from; any where it is 0. Further streams have those behind.
    #[serde(default)]
    pub port: u16,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Incoming {
    pub src: u32,
    #[serde(default = "one")]
    pub streams: u32,
    #[serde(default)]
    pub network: u32,
    /// What it is sent from, where that was given.
    #[serde(default)]
    pub port: u16,
}

fn one() -> u32 {
    1
}

/// How much a transfer carries, or for how long it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    Trials { bytes: u64, trials: u32 },
    Time(Windows),
}

/// The windows of time in which bytes are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    pub warm_up_ns: u64,
    pub trial_ns: u64,
    pub trials: u32,
}

impl Part {
    /// Whether a connection from a port of its own is in both: it cannot be there twice at a time.
    pub fn repeats_a_port_of(&self, before: &Part) -> bool {
        let is_repeated = |one: &Outgoing| before.send.iter().any(|sent| sent.port == one.port);
        self.send
            .iter()
            .any(|one| one.port != 0 && is_repeated(one))
    }

    /// What each transfer of a stream or a cast does.
    pub fn amount(&self, network: u32) -> Amount {
        match (self.work, self.stop) {
            (Work::Cast, _) => Amount::Trials {
                bytes: self.cast_bytes(network),
                trials: 1,
            },
            (
                _,
                StopRule::Count {
                    repeats, trials, ..
                },
            ) => Amount::Trials {
                bytes: u64::from(repeats) * self.size_bytes,
                trials,
            },
            (_, StopRule::Time { trial_ns, .. }) => Amount::Time(Windows {
                warm_up_ns: trial_ns / WARM_UP_DIVISOR,
                trial_ns,
                trials: self.stop.trials_within(trial_ns),
            }),
        }
    }

    /// Messages of one trial, where they are counted beforehand.
    pub fn repeats(&self) -> u32 {
        match (self.work, self.stop) {
            (Work::Stream | Work::Pingpong, StopRule::Count { repeats, .. }) => repeats,
            _ => 1,
        }
    }

    /// Whether this node sends or receives in it.
    pub fn has_transfers(&self) -> bool {
        !(self.send.is_empty() && self.receive.is_empty())
    }

    /// The windows that this phase counts bytes in, if it does.
    pub fn windows(&self) -> Option<Windows> {
        match (self.work, self.amount(0)) {
            (Work::Stream, Amount::Time(windows)) => Some(windows),
            _ => None,
        }
    }

    /// The bytes of an image that go over one network: equal shares, the first networks one byte more.
    pub fn cast_bytes(&self, network: u32) -> u64 {
        let used = self.networks().max().map_or(1, |last| last + 1);
        share(self.size_bytes, used, network)
    }

    /// Refuse what this node cannot do.
    pub fn check(&self, node: u32, networks: u32) -> Result<(), SessionError> {
        let checks = [
            self.check_amount(),
            self.check_ends(node, networks),
            self.check_streams(),
            self.check_chain(),
        ];
        let wrong = checks.into_iter().find_map(Result::err);
        wrong.map_or(Ok(()), |reason| {
            let message = format!("phase {}: {reason}", self.phase);
            Err(SessionError::bad_request(message))
        })
    }

    fn check_amount(&self) -> Result<(), String> {
        let (repeats, trials) = match self.stop {
            StopRule::Count {
                repeats, trials, ..
            } => (repeats, trials),
            StopRule::Time { trials, .. } => (1, trials),
        };
        let bytes = u128::from(self.size_bytes) * u128::from(repeats) * u128::from(trials);
        ensure(bytes > 0 && bytes <= u128::from(u64::MAX), || {
            format!(
                "{trials} x {repeats} messages of {} bytes cannot be counted",
                self.size_bytes
            )
        })
    }

    fn check_ends(&self, node: u32, networks: u32) -> Result<(), String> {
        let unknown = self.networks().find(|network| *network >= networks);
        if let Some(network) = unknown {
            return Err(format!("node {node} has no network {network}"));
        }
        let send: Vec<_> = self.send.iter().map(|one| (one.dst, one.network)).collect();
        let receive: Vec<_> = self
            .receive
            .iter()
            .map(|one| (one.src, one.network))
            .collect();
        let is_proper = |ends: &[(u32, u32)]| {
            !has_repetition(ends) && ends.iter().all(|(other, _)| *other != node)
        };
        ensure(is_proper(&send) && is_proper(&receive), || {
            "a transfer is there twice, or goes from a node to itself".to_owned()
        })
    }

    fn check_streams(&self) -> Result<(), String> {
        let most = match self.work {
            Work::Stream => MOST_STREAMS,
            Work::Pingpong | Work::Cast => 1,
        };
        let send = self.send.iter().map(|one| one.streams);
        let mut all = send.chain(self.receive.iter().map(|one| one.streams));
        ensure(all.all(|streams| (1..=most).contains(&streams)), || {
            format!("a transfer of this work has 1 to {most} streams")
        })
    }

    fn check_chain(&self) -> Result<(), String> {
        if self.work != Work::Cast {
            return Ok(());
        }
        let chunk_bytes = self.chunk_bytes.unwrap_or(0);
        ensure((1..=MOST_CHUNK_BYTES).contains(&chunk_bytes), || {
            format!("a cast has a chunk_bytes of 1 to {MOST_CHUNK_BYTES}")
        })?;
        let send: Vec<_> = self.send.iter().map(|one| one.network).collect();
        let receive: Vec<_> = self.receive.iter().map(|one| one.network).collect();
        ensure(!has_repetition(&send) && !has_repetition(&receive), || {
            "a cast is one chain on each network".to_owned()
        })
    }

    fn networks(&self) -> impl Iterator<Item = u32> {
        let send = self.send.iter().map(|one| one.network);
        send.chain(self.receive.iter().map(|one| one.network))
    }
}

fn ensure(is_right: bool, reason: impl FnOnce() -> String) -> Result<(), String> {
    if is_right { Ok(()) } else { Err(reason()) }
}

fn has_repetition<T: PartialEq>(list: &[T]) -> bool {
    (1..list.len()).any(|index| list[index..].contains(&list[index - 1]))
}

/// One of `count` shares of `total` that differ by one at most, the first being the larger.
pub fn share(total: u64, count: u32, index: u32) -> u64 {
    let count = u64::from(count);
    total / count + u64::from(u64::from(index) < total % count)
}
