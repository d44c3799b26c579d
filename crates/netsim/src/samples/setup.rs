//! What the transfers of a phase are to the solver, and what the solver's answers are to the transfers.

use std::borrow::Cow;
use std::collections::HashSet;

use weft_plan::Transfer;

use crate::network::{End, Flow, Network, Path};
use crate::simulate::{Demand, NOTHING, Route, Solver, Transfers};
use weft_fabric::Framing;

use super::amount::Amount;
use super::parameters::Parameters;

/// What carries out phases; one for each thread.
#[derive(Debug)]
pub struct Setup<'a> {
    pub network: &'a dyn Network,
    pub parameters: Parameters,
    pub solver: Solver,
    pub transfers: Transfers,
    there: Vec<u32>,
    /// What acknowledgements cross.
    back: Vec<u32>,
    /// The last one that was computed.
    pub barrier: Barrier,
    /// By host: whether it was counted.
    counted: Vec<bool>,
    /// By contended constraint of the network: the hosts that contend in this phase.
    contenders: Vec<HashSet<u32>>,
}

impl<'a> Setup<'a> {
    pub fn new(network: &'a dyn Network, parameters: Parameters) -> Self {
        Self {
            network,
            parameters,
            solver: Solver::default(),
            transfers: Transfers::default(),
            there: Vec::new(),
            back: Vec::new(),
            barrier: Barrier::default(),
            counted: vec![false; network.hosts()],
            contenders: vec![HashSet::new(); network.contended().len()],
        }
    }

    /// Begins a phase, without transfers.
    pub fn clear(&mut self) {
        self.transfers.clear();
        self.contenders.iter_mut().for_each(HashSet::clear);
    }

    /// What constraints carry while the transfers that were added run.
    pub fn capacities(&self) -> Cow<'a, [f64]> {
        let mut found = Cow::Borrowed(self.network.capacities());
        for (one, hosts) in self.network.contended().iter().zip(&self.contenders) {
            found.to_mut()[one.constraint as usize] = one.bits_per_s(hosts.len());
        }
        found
    }

    /// Counts the ends of a transfer where ports contend, its constraints being those from `first` on.
    fn count_ports(&mut self, transfer: &Transfer, first: usize) {
        let contended = self.network.contended().iter();
        for (one, hosts) in contended.zip(&mut self.contenders) {
            if self.there[first..].contains(&one.constraint) {
                hosts.insert(match one.end {
                    End::Sender => transfer.src,
                    End::Receiver => transfer.dst,
                });
            }
        }
    }

    /// The different hosts, in order.
    pub fn members(&mut self, hosts: impl Iterator<Item = u32>) -> Vec<u32> {
        self.counted.fill(false);
        hosts.for_each(|host| self.counted[host as usize] = true);
        let counted = self.counted.iter().zip(0..);
        counted
            .filter_map(|(is_member, host)| is_member.then_some(host))
            .collect()
    }

    pub fn framing(&self) -> Framing {
        self.network.framing()
    }

    /// Adds a transfer in messages of `size_bytes`. None where there is no path; nothing is added then.
    pub fn add(&mut self, transfer: &Transfer, amount: Amount, size_bytes: u64) -> Option<Path> {
        let (path, demand) = self.seek(transfer, amount, size_bytes)?;
        self.count_ports(transfer, 0);
        self.push(demand);
        Some(path)
    }

    /// Adds one message, whose ends handle no other behind it.
    pub fn add_message(&mut self, message: &Transfer) -> Option<Path> {
        let (path, demand) = self.seek_message(message)?;
        self.count_ports(message, 0);
        self.push(demand);
        Some(path)
    }

    /// The same without adding it.
    pub fn seek_message(&mut self, message: &Transfer) -> Option<(Path, Demand)> {
        self.seek(message, Amount::Bytes(message.bytes), message.bytes)
    }

    /// The same without adding it.
    pub fn seek(
        &mut self,
        transfer: &Transfer,
        amount: Amount,
        size_bytes: u64,
    ) -> Option<(Path, Demand)> {
        self.forget_route();
        let path = self.find_path(transfer)?;
        self.find_path_back(transfer);
        Some((
            path,
            self.demand(path, transfer.streams, amount, size_bytes),
        ))
    }

    /// The constraints of what was sought last.
    pub fn route(&self) -> Route<'_> {
        Route {
            there: &self.there,
            back: &self.back,
        }
    }

    /// The same to be changed: there, and back.
    pub fn lists(&mut self) -> [&mut Vec<u32>; 2] {
        [&mut self.there, &mut self.back]
    }

    /// Adds transfers that all run at the rate of the slowest, as one.
    pub fn add_joined(&mut self, links: &[Transfer], bytes: u64) -> Option<Vec<Path>> {
        self.forget_route();
        let paths = links.iter().map(|link| {
            let first = self.there.len();
            let path = self.find_path(link)?;
            self.count_ports(link, first);
            Some(path)
        });
        let paths: Vec<Path> = paths.collect::<Option<_>>()?;
        links.iter().for_each(|link| self.find_path_back(link));
        let slowest = paths.iter().min_by_key(|path| path.mtu_bytes)?;
        let own_rates = paths.iter().map(|path| path.own_bits_per_s);
        let whole = Path {
            own_bits_per_s: own_rates.fold(f64::INFINITY, f64::min),
            ..*slowest
        };
        let demand = self.demand(whole, 1, Amount::Bytes(bytes), bytes);
        self.push(demand);
        Some(paths)
    }

    /// The way of a transfer, its constraints behind those that were found before.
    pub fn find_path(&mut self, transfer: &Transfer) -> Option<Path> {
        self.network.path(flow_of(transfer), &mut self.there)
    }

    /// The constraints of a transfer's acknowledgements, if there are any.
    fn find_path_back(&mut self, transfer: &Transfer) {
        if self.parameters.segments_per_ack > 0 && self.framing() != Framing::Bare {
            let back = flow_of(transfer).back();
            self.network.path(back, &mut self.back);
        }
    }

    fn push(&mut self, demand: Demand) {
        let (there, back) = (&self.there[..], &self.back[..]);
        self.transfers.push_answered(Route { there, back }, demand);
    }

    fn forget_route(&mut self) {
        self.there.clear();
        self.back.clear();
    }

    /// What a message takes from end to end besides its time at the rate of the slowest hop.
    pub fn latency_s(&self, path: &Path, bytes: u64) -> f64 {
        2.0 * self.parameters.overhead_s + self.way_s(path, bytes)
    }

    /// The same without what it costs its ends.
    pub fn way_s(&self, path: &Path, bytes: u64) -> f64 {
        path.latency_s(self.framing().first_frame_bytes(bytes, path.mtu_bytes))
    }

    /// What a message of many behind each other takes, at the rate of the slowest hop or of its window.
    pub fn paced_s(&self, path: &Path, bytes: u64) -> f64 {
        let bits = self.framing().wire_bytes(bytes, path.mtu_bytes) as f64 * 8.0;
        bits * path.slowest_s_per_bit.max(1.0 / self.window_rate(path))
    }

    /// What a message takes that has its path for itself.
    pub fn isolated_s(&self, path: &Path, bytes: u64) -> f64 {
        let bits = self.framing().wire_bytes(bytes, path.mtu_bytes) as f64 * 8.0;
        self.latency_s(path, bytes) + (bits * path.slowest_s_per_bit).max(self.held_s(path, bits))
    }

    /// The same between two hosts; None where there is no path.
    pub fn isolated_between_s(&mut self, transfer: &Transfer, bytes: u64) -> Option<f64> {
        self.forget_route();
        let path = self.find_path(transfer)?;
        Some(self.isolated_s(&path, bytes))
    }

    /// Until the last of so many bits may leave, and its window with it: the first window leaves at once.
    fn held_s(&self, path: &Path, bits: f64) -> f64 {
        let Some(window_bytes) = self.parameters.window_bytes else {
            return 0.0;
        };
        let at_once =
            bits.min(self.framing().wire_bytes(window_bytes, path.mtu_bytes) as f64 * 8.0);
        (bits - at_once) / self.window_rate(path) + at_once * path.slowest_s_per_bit
    }

    /// Wire bit/s that the window allows a connection.
    fn window_rate(&self, path: &Path) -> f64 {
        let Some(window_bytes) = self.parameters.window_bytes else {
            return f64::INFINITY;
        };
        let round_trip_s = 2.0 * self.latency_s(path, window_bytes);
        self.framing().wire_bytes(window_bytes, path.mtu_bytes) as f64 * 8.0 / round_trip_s
    }

    /// Wire bit/s at which the ends of a stream handle messages: they begin each one `overhead_s` behind the other at
    /// the earliest. So the first message waits for none, and the last one only has its own time on the wire behind it.
    fn handling_rate(&self, path: &Path, streams: f64, amount: Amount, size_bytes: u64) -> f64 {
        let framing = self.framing();
        let wire_bits = |bytes| framing.wire_bytes(bytes, path.mtu_bytes) as f64 * 8.0;
        let overhead_s = self.parameters.overhead_s;
        match amount {
            Amount::Endless => {
                size_bytes as f64 * 8.0 * framing.expansion(path.mtu_bytes) / overhead_s
            }
            Amount::Bytes(bytes) => {
                let gaps = bytes as f64 / size_bytes as f64 / streams - 1.0;
                let last_s = wire_bits(size_bytes) * path.slowest_s_per_bit;
                match gaps > 0.0 {
                    true => wire_bits(bytes) / streams / (gaps * overhead_s + last_s),
                    false => f64::INFINITY,
                }
            }
        }
    }

    fn demand(&self, path: Path, streams: u32, amount: Amount, size_bytes: u64) -> Demand {
        let streams = f64::from(streams);
        let framing = self.framing();
        let expansion = framing.expansion(path.mtu_bytes);
        let bytes = amount.bytes(size_bytes);
        let handling_rate = self.handling_rate(&path, streams, amount, size_bytes);
        Demand {
            bits: framing.wire_bytes(bytes, path.mtu_bytes) as f64 * 8.0,
            // Transfers share what counts, not what is on the wire; with one size of packets that is the same.
            weight: streams * expansion / framing.expansion(COMMON_MTU_BYTES),
            cap_bits_per_s: streams
                * self
                    .window_rate(&path)
                    .min(handling_rate)
                    .min(path.own_bits_per_s),
            start_s: 0.0,
            back: framing.acknowledgement(path.mtu_bytes, self.parameters.segments_per_ack),
        }
    }
}

const COMMON_MTU_BYTES: u32 = 1500;

/// Where the streams of a transfer have ports of their own and none is given, they have these.
const FIRST_PORT: u16 = 49_152;

/// The streams of a transfer one by one: each has a port of its own where the network makes paths of ports.
pub fn streams_of(
    network: &dyn Network,
    transfer: &Transfer,
) -> impl Iterator<Item = Transfer> + use<> {
    let (whole, streams) = (*transfer, transfer.streams);
    let is_spread = network.hashes_ports() && (streams > 1 || whole.port > 0);
    let first = match whole.port {
        0 => FIRST_PORT,
        port => port,
    };
    (0..streams).map(move |stream| Transfer {
        streams: 1,
        port: match is_spread {
            true => first.wrapping_add(stream as u16),
            false => whole.port,
        },
        ..whole
    })
}

/// The connection of a transfer of one stream.
pub fn flow_of(transfer: &Transfer) -> Flow {
    Flow {
        src: transfer.src as usize,
        dst: transfer.dst as usize,
        network: transfer.network,
        port: transfer.port,
    }
}

/// The constraint on a route that carries least, for a message alone.
pub fn narrowest(setup: &Setup<'_>, route: &[u32]) -> u32 {
    let capacity = |at: &&u32| setup.network.capacities()[**at as usize];
    let least = route
        .iter()
        .min_by(|one, other| capacity(one).total_cmp(&capacity(other)));
    least
        .copied()
        .filter(|at| capacity(&at).is_finite())
        .unwrap_or(NOTHING)
}

/// The barrier among some hosts, which is mostly the same for all phases of a step.
#[derive(Debug, Default)]
pub struct Barrier {
    pub members: Vec<u32>,
    pub network: u32,
    pub seconds: f64,
}
