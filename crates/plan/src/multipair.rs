//! Several pairs of processes between the same two nodes at once, over one or more interfaces of each.

use serde::{Deserialize, Serialize};
use toml::Value;

use crate::arrangement::{Arrangement, Policy};
use crate::error::Result;
use crate::phase::{Phase, Transfer, Work};
use crate::reading::{Section, count};
use crate::stop::StopRule;

pub(crate) const KEYS: [&str; 6] = ["test", "pairs", "interfaces", "window", "small", "at_most"];

/// Pairs at once: more processes than most nodes have processors, and each has buffers and agents of its own.
const MOST_PAIRS: u32 = 64;
const DEFAULT_PAIRS: [u32; 3] = [1, 2, 4];
const DEFAULT_WINDOW: u32 = 64;
const MOST_WINDOW: u32 = 1 << 20;
/// How much more often small messages are repeated.
const SMALL_FACTOR: u32 = 10;

json_enum! {
    /// What each pair does.
    pub enum Test {
        /// A message there and back; a repeat is one round trip.
        Latency = "latency",
        /// A window of messages, then an acknowledgement; a repeat is one window.
        OneWay = "one-way",
        /// A window of messages each way at once; a repeat is one window each way.
        TwoWay = "two-way",
    }
}

/// So many pairs at once under each policy, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MultiPair {
    pub test: Test,
    /// How many at once, in this order.
    pub pairs: Vec<u32>,
    /// Empty where the testbed decides.
    pub interfaces: Vec<Policy>,
    /// Messages between two acknowledgements.
    pub window: u32,
    /// Messages of at most so many bytes are repeated ten times as often.
    pub small_bytes: Option<u64>,
    /// A timing has fewer repeats where they would take longer.
    pub at_most_ns: Option<u64>,
    /// The interfaces of each node that are used; the testbed says how many there are.
    #[serde(default = "one")]
    pub networks: u32,
}

fn one() -> u32 {
    1
}

impl MultiPair {
    /// Reads the keys of a step.
    pub(crate) fn read(step: &Section) -> Result<Self> {
        let test = step.required_choice("test", &Test::NAMED)?;
        if test == Test::Latency {
            step.only_for("window", "test = \"one-way\" or \"two-way\"")?;
        }
        let window = step.count("window", 1..=MOST_WINDOW)?;
        Ok(Self {
            test,
            pairs: read_pairs(step)?,
            interfaces: read_interfaces(step)?,
            window: window.unwrap_or(DEFAULT_WINDOW),
            small_bytes: step.size("small")?,
            at_most_ns: step.time("at_most")?,
            networks: one(),
        })
    }

    /// Repeats are counted, since pairs at once must agree on them.
    pub(crate) fn suits(&self, stop: &StopRule) -> Result<(), (&'static str, String)> {
        match stop {
            StopRule::Count { .. } => Ok(()),
            StopRule::Time { .. } => Err((
                "stop",
                "several pairs count: give { rule = \"count\", repeats = 20, trials = 10 }, and \
                 `at_most` of the step to shorten what takes long"
                    .to_owned(),
            )),
        }
    }

    /// Messages of a timing of which one takes so long: as many as agents would time.
    pub fn messages(&self, repeats: u32, size_bytes: u64, message_s: f64) -> u32 {
        let is_small = self.small_bytes.is_some_and(|most| size_bytes <= most);
        let factor = if is_small { SMALL_FACTOR } else { 1 };
        let each = if self.test == Test::Latency {
            1
        } else {
            self.window
        };
        let asked = repeats.saturating_mul(factor).saturating_mul(each);
        let fitting = self.at_most_ns.map_or(u32::MAX, |most_ns| {
            (most_ns as f64 / 1e9 / message_s) as u32
        });
        asked.min(fitting).clamp(1, i32::MAX as u32)
    }

    /// The transfers of each pair of a phase, a striped one as one for each interface with its part of the message.
    pub fn by_pair(&self, phase: &Phase) -> Vec<Vec<Transfer>> {
        let pairs = phase.arrangement.map_or(1, |one| one.pairs) as usize;
        let each = phase.transfers.len() / pairs;
        let of_pair = |some: &[Transfer]| some.iter().flat_map(stripes).collect();
        phase.transfers.chunks(each).map(of_pair).collect()
    }

    fn work(&self) -> Work {
        match self.test {
            Test::Latency => Work::Pingpong,
            Test::OneWay | Test::TwoWay => Work::Stream,
        }
    }

    /// How many phases each size has.
    pub(crate) fn arrangement_count(&self) -> usize {
        self.arrangements().len()
    }

    /// All sizes of an arrangement, then those of the next.
    pub(crate) fn phases(&self, sizes: &[u64], nodes: u32) -> Vec<Phase> {
        let peer = u32::from(nodes > 1);
        let order = self
            .arrangements()
            .into_iter()
            .flat_map(|arrangement| sizes.iter().map(move |size| (arrangement, *size)));
        let phase = |(index, (arrangement, size_bytes))| Phase {
            index,
            size_bytes,
            work: self.work(),
            transfers: self.transfers(arrangement, peer, size_bytes),
            arrangement: Some(arrangement),
        };
        (0..).zip(order).map(phase).collect()
    }

    /// Those of one message each; those of pair i come together, in the pairs' order.
    fn transfers(&self, arrangement: Arrangement, peer: u32, bytes: u64) -> Vec<Transfer> {
        (0..arrangement.pairs)
            .flat_map(|pair| self.of_pair(arrangement, pair, peer, bytes))
            .collect()
    }

    fn arrangements(&self) -> Vec<Arrangement> {
        let of_policy = |policy: &Policy| -> Vec<Arrangement> {
            let policy = *policy;
            let isolated = (0..self.networks).map(|first| (1, first));
            let all = self.pairs.iter().map(|pairs| (*pairs, 0));
            let made = |(pairs, first)| Arrangement {
                policy,
                pairs,
                first,
            };
            match policy {
                Policy::Isolated => isolated.map(made).collect(),
                _ => all.map(made).collect(),
            }
        };
        // A plan that leaves the policies open is one of pairs over one interface until a testbed has been asked.
        match &self.interfaces[..] {
            [] => of_policy(&Policy::Shared),
            policies => policies.iter().flat_map(of_policy).collect(),
        }
    }

    fn of_pair(&self, one: Arrangement, pair: u32, peer: u32, bytes: u64) -> Vec<Transfer> {
        let network = match one.policy {
            Policy::Isolated => one.first,
            Policy::Independent => pair % self.networks.max(1),
            _ => 0,
        };
        let streams = match one.policy {
            Policy::Striped => self.networks,
            _ => 1,
        };
        let there = Transfer {
            streams,
            network,
            ..Transfer::new(0, peer, bytes)
        };
        let back = Transfer {
            src: there.dst,
            dst: there.src,
            ..there
        };
        match self.test {
            Test::OneWay => vec![there],
            Test::Latency | Test::TwoWay => vec![there, back],
        }
    }
}

/// The first stripes have the odd bytes, and one without any is not used.
fn stripes(whole: &Transfer) -> Vec<Transfer> {
    let (count, bytes) = (u64::from(whole.streams), whole.bytes);
    let part = |network: u32| Transfer {
        bytes: bytes / count + u64::from(u64::from(network) < bytes % count),
        streams: 1,
        network: whole.network + network,
        ..*whole
    };
    let parts = (0..whole.streams).map(part);
    parts.filter(|part| part.bytes > 0).collect()
}

fn read_pairs(step: &Section) -> Result<Vec<u32>> {
    let right = || format!("must be numbers of pairs from 1 to {MOST_PAIRS}, such as [1, 2, 4]");
    let one = |value: &Value| count(value, 1..=MOST_PAIRS).ok();
    let pairs = step.value("pairs", |value| set(value, one).ok_or_else(right))?;
    Ok(pairs.unwrap_or(DEFAULT_PAIRS.to_vec()))
}

fn read_interfaces(step: &Section) -> Result<Vec<Policy>> {
    let known = Policy::NAMED.map(|(name, _)| name).join(", ");
    let right =
        || format!("must be a list of different ones of {known}, such as [\"independent\"]");
    let one = |value: &Value| {
        let name = value.as_str()?;
        let found = Policy::NAMED.iter().find(|(known, _)| *known == name)?;
        Some(found.1)
    };
    let found = step.value("interfaces", |value| set(value, one).ok_or_else(right))?;
    Ok(found.unwrap_or_default())
}

/// One or several, where there is something, and nothing twice.
fn set<T: PartialEq>(value: &Value, one: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    let values: Vec<T> = match value {
        Value::Array(values) => values.iter().map(one).collect::<Option<_>>()?,
        value => vec![one(value)?],
    };
    let twice = |(index, value)| values[..index].contains(value);
    let is_set = !values.is_empty() && !values.iter().enumerate().any(twice);
    is_set.then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(test: Test, interfaces: &[Policy], networks: u32) -> MultiPair {
        MultiPair {
            test,
            pairs: vec![1, 3],
            interfaces: interfaces.to_vec(),
            window: 64,
            small_bytes: None,
            at_most_ns: None,
            networks,
        }
    }

    fn networks(phase: &Phase) -> Vec<u32> {
        let transfers = phase.transfers.iter();
        transfers.map(|transfer| transfer.network).collect()
    }

    #[test]
    fn each_interface_alone_then_pairs_that_take_turns() {
        let both = step(Test::OneWay, &[Policy::Isolated, Policy::Independent], 2);
        let used: Vec<_> = both.phases(&[8], 2).iter().map(networks).collect();
        assert_eq!(used, [vec![0], vec![1], vec![0], vec![0, 1, 0]]);
    }

    #[test]
    fn stripes_are_as_many_as_interfaces() {
        let both = step(Test::OneWay, &[Policy::Striped, Policy::Shared], 4);
        let phases = both.phases(&[8], 2);
        let streams = |number: usize| -> Vec<u32> {
            let transfers = phases[number].transfers.iter();
            transfers.map(|one| one.streams).collect()
        };
        assert_eq!(streams(1), [4, 4, 4]);
        assert_eq!(streams(3), [1, 1, 1]);
        assert_eq!(networks(&phases[3]), [0, 0, 0]);
    }

    #[test]
    fn all_sizes_of_an_arrangement_come_before_the_next() {
        let phases =
            step(Test::Latency, &[Policy::Isolated, Policy::Shared], 2).phases(&[8, 64], 2);
        let made = |phase: &Phase| {
            let one = phase.arrangement.unwrap();
            (one.policy, one.pairs, one.first, phase.size_bytes)
        };
        let order: Vec<_> = phases.iter().map(made).collect();
        let arrangements = [
            (Policy::Isolated, 1, 0),
            (Policy::Isolated, 1, 1),
            (Policy::Shared, 1, 0),
            (Policy::Shared, 3, 0),
        ];
        let expected = arrangements.map(|(policy, pairs, first)| {
            [8, 64].map(|size_bytes| (policy, pairs, first, size_bytes))
        });
        assert_eq!(order, expected.concat());
    }

    #[test]
    fn a_striped_message_goes_in_parts_over_all_interfaces() {
        let striped = step(Test::Latency, &[Policy::Striped], 2);
        let phases = striped.phases(&[1, 7], 2);
        let parts = |number: usize| -> Vec<Vec<_>> {
            let pairs = striped.by_pair(&phases[number]);
            let made = |one: &Transfer| (one.src, one.network, one.bytes);
            pairs
                .iter()
                .map(|all| all.iter().map(made).collect())
                .collect()
        };
        assert_eq!(parts(0), [vec![(0, 0, 1), (1, 0, 1)]]);
        assert_eq!(
            parts(3),
            vec![vec![(0, 0, 4), (0, 1, 3), (1, 0, 4), (1, 1, 3)]; 3]
        );
    }

    #[test]
    fn a_timing_has_as_many_messages_as_agents_would_time() {
        let mut one_way = step(Test::OneWay, &[], 1);
        assert_eq!(one_way.messages(20, 8, 1.0), 20 * 64);
        (one_way.small_bytes, one_way.at_most_ns) = (Some(8), Some(50_000_000));
        assert_eq!(one_way.messages(20, 8, 1e-6), 200 * 64);
        assert_eq!(one_way.messages(20, 9, 1e-3), 50);
        assert_eq!(one_way.messages(20, 9, 1.0), 1);
        assert_eq!(step(Test::Latency, &[], 1).messages(20, 8, 1.0), 20);
    }

    #[test]
    fn both_ways_has_both_transfers_of_a_pair() {
        let phases = step(Test::TwoWay, &[Policy::Independent], 2).phases(&[8], 2);
        let transfers = phases[1].transfers.iter();
        let ends: Vec<_> = transfers.map(|one| (one.src, one.network)).collect();
        assert_eq!(ends, [(0, 0), (1, 0), (0, 1), (1, 1), (0, 0), (1, 0)]);
    }
}
