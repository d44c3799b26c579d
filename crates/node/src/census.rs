//! Cycles by category, counted while two nodes work: for machines whose costs are given by category.

use crate::engine::{Frame, Job, PAGE_BYTES, Watch, is_remote, pages};
use crate::machine::{Machine, PER_BYTE};

/// Pairs of a category's index and cycles.
type Parts = Vec<(usize, f64)>;

/// Counts the cycles of all jobs behind the warm-up.
#[derive(Debug, Clone)]
pub struct Census {
    prices: Prices,
    is_on: bool,
    /// By node and category.
    pub cycles: [Vec<f64>; 2],
}

/// What each job costs, by category, on the first processor.
#[derive(Debug, Clone)]
struct Prices {
    interrupt: Parts,
    driver: Parts,
    page: Parts,
    remote_frame: Parts,
    page_out: Parts,
    merge: Parts,
    acknowledgement: Parts,
    driver_out: Parts,
    protocol_in: Parts,
    datagram_in: Parts,
    datagram_out: Parts,
    protocol_out: Parts,
    refill: Parts,
    wake_up: Parts,
    switch: Parts,
    system_call: Parts,
    copy_in: Parts,
    copy_out: Parts,
    /// Whether headers are in none of the pages.
    splits: bool,
    per_byte: usize,
    byte_in: f64,
    byte_out: f64,
}

impl Census {
    /// For a machine whose breakdown is known.
    pub fn new(machine: &Machine) -> Self {
        let none = vec![0.0; machine.breakdown.categories.len()];
        Self {
            prices: Prices::new(machine),
            is_on: false,
            cycles: [none.clone(), none],
        }
    }

    fn add(&mut self, node: usize, times: f64, of: fn(&Prices) -> &Parts) {
        for (category, cycles) in of(&self.prices) {
            self.cycles[node][*category] += times * cycles;
        }
    }

    fn driven(&mut self, node: usize, frame: Frame) {
        self.add(node, 1.0, |prices| &prices.driver);
        let pages = pages(frame, self.prices.splits);
        self.add(node, pages as f64, |prices| &prices.page);
        if frame.payload_bytes > 0 {
            self.add(node, 1.0, |prices| &prices.remote_frame);
        }
    }

    fn copied(&mut self, node: usize, cycles: f64) {
        self.cycles[node][self.prices.per_byte] += cycles;
    }
}

impl Watch for Census {
    fn batch_begins(&mut self, _now_ps: u64) {
        self.is_on = true;
    }

    fn posted(&mut self, node: usize, job: Job) {
        if !self.is_on {
            return;
        }
        match job {
            Job::Call | Job::Interrupt => self.add(node, 1.0, |prices| &prices.interrupt),
            Job::DriverIn(frame) => self.driven(node, frame),
            Job::Poll(frame) => {
                self.driven(node, frame);
                self.add(node, 1.0, |prices| &prices.merge);
            }
            Job::DriverOut(_) => self.add(node, 1.0, |prices| &prices.driver_out),
            Job::ProtocolIn(frame) if frame.payload_bytes == 0 => {
                self.add(node, 1.0, |prices| &prices.acknowledgement);
            }
            Job::ProtocolIn(frame) if frame.is_datagram() => {
                self.add(node, 1.0, |prices| &prices.datagram_in);
            }
            Job::ProtocolOut(frame) if frame.is_datagram() => {
                self.add(node, 1.0, |prices| &prices.datagram_out);
            }
            Job::ProtocolIn(_) => self.add(node, 1.0, |prices| &prices.protocol_in),
            Job::ProtocolOut(_) => self.add(node, 1.0, |prices| &prices.protocol_out),
            Job::Refill => self.add(node, 1.0, |prices| &prices.refill),
            Job::WakeUp => self.add(node, 1.0, |prices| &prices.wake_up),
            Job::Switch => self.add(node, 1.0, |prices| &prices.switch),
            Job::SystemCall => self.add(node, 1.0, |prices| &prices.system_call),
            Job::CopyIn(bytes) => {
                self.add(node, 1.0, |prices| &prices.copy_in);
                self.copied(node, f64::from(bytes) * self.prices.byte_in);
            }
            Job::CopyOut(bytes) => {
                self.add(node, 1.0, |prices| &prices.copy_out);
                let pages = f64::from(bytes) / f64::from(PAGE_BYTES);
                self.add(node, pages, |prices| &prices.page_out);
                self.copied(node, f64::from(bytes) * self.prices.byte_out);
            }
            Job::BridgeIn(_) | Job::BridgeOut(_) | Job::Library { .. } | Job::Compute => (),
        }
    }
}

impl Prices {
    fn new(machine: &Machine) -> Self {
        let costs = &machine.costs;
        let access_cycles =
            machine.memory.access_ps() * machine.processors[0].clock_hz as f64 / 1e12;
        let stretch = 1.0 + costs.accesses_per_cycle * access_cycles;
        let of = |names: &[&str]| {
            let parts = names.iter().flat_map(|name| machine.breakdown.of(name));
            parts
                .map(|(category, cycles)| (*category, cycles * stretch))
                .collect::<Parts>()
        };
        let or = |name: &'static str, other: &'static str| match of(&[name]) {
            parts if parts.is_empty() => of(&[other]),
            parts => parts,
        };
        let with_remote = |names: &[&str], remote: &'static str| match is_remote(machine) {
            true => of(&[names, &[remote]].concat()),
            false => of(names),
        };
        let remote_accesses = match is_remote(machine) {
            true => costs.remote.accesses_per_byte,
            false => 0.0,
        };
        let known = &machine.breakdown.categories;
        Self {
            interrupt: of(&["interrupt"]),
            driver: of(&["driver"]),
            remote_frame: with_remote(&[], "remote.frame"),
            page: of(&["page"]),
            page_out: with_remote(&["page_out"], "remote.page_out"),
            merge: match machine.nic.merge_bytes {
                0 => Parts::new(),
                _ => of(&["merge"]),
            },
            acknowledgement: [
                or("acknowledgement", "protocol"),
                with_remote(&["softirq"], "remote.acknowledgement"),
            ]
            .concat(),
            driver_out: or("driver_out", "driver"),
            protocol_in: with_remote(&["protocol", "softirq"], "remote.segment"),
            datagram_in: match costs.datagram {
                Some(_) => with_remote(&["datagram", "softirq"], "remote.segment"),
                None => with_remote(&["protocol", "softirq"], "remote.segment"),
            },
            datagram_out: match costs.datagram {
                Some(_) => of(&["datagram"]),
                None => or("protocol_out", "protocol"),
            },
            protocol_out: or("protocol_out", "protocol"),
            refill: of(&["refill"]),
            wake_up: of(&["wake_up"]),
            switch: of(&["context_switch"]),
            system_call: of(&["system_call"]),
            copy_in: with_remote(&["copy_in"], "remote.copy"),
            copy_out: of(&["copy_out"]),
            splits: machine.nic.header_split,
            per_byte: known.iter().position(|one| one == PER_BYTE).unwrap_or(0),
            byte_in: (costs.copy_in_accesses_per_byte + remote_accesses) * (1.0 + access_cycles),
            byte_out: costs.copy_accesses_per_byte * (1.0 + access_cycles),
        }
    }
}
