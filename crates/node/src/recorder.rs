//! Looks on and notes what happens in two nodes, slice by slice.

use crate::engine::{Act, Frame, Gauge, Job, Part, Stage, Watch};
use crate::machine::Machine;
use crate::recording::{Passage, Reading, Recording, Slice};

/// More would be no trace that a viewer can open.
const MOST_SLICES: usize = 2_000_000;

/// Records round trips from the warm-up on; of a stream, whose messages overlap, the first batch behind it.
#[derive(Debug, Clone)]
pub struct Recorder {
    seen: Recording,
    /// By track: what goes on.
    open: Vec<Option<Slice>>,
    last_ended: Option<usize>,
    parts: usize,
    has_answers: bool,
    is_on: bool,
    way: u32,
    stage_ps: u64,
}

/// The names of a node's tracks: its processors, then buses, link and network interface.
pub fn tracks(machine: &Machine) -> Vec<String> {
    let processors = machine.processors.iter().map(|one| one.name.clone());
    let bus = match machine.nic.location.crosses_io_bus() {
        true => "I/O bus",
        false => "memory bus",
    };
    let shared = [bus, "link out", "interrupt signal"].map(str::to_owned);
    processors.chain(shared).collect()
}

impl Recorder {
    pub fn new(machine: &Machine, has_answers: bool) -> Self {
        let parts = tracks(machine).len();
        Self {
            seen: Recording::default(),
            open: vec![None; 2 * parts],
            last_ended: None,
            parts,
            has_answers,
            is_on: has_answers,
            way: 0,
            stage_ps: 0,
        }
    }

    /// What was seen, by time.
    pub fn finish(mut self) -> Recording {
        self.seen
            .slices
            .sort_by_key(|slice| (slice.begin_ps, slice.end_ps));
        self.seen
    }

    fn track(&self, node: usize, part: Part) -> usize {
        let shared = self.parts - 3;
        let place = match part {
            Part::Processor(index) => index,
            Part::IoBus => shared,
            Part::Link => shared + 1,
            Part::Interface => shared + 2,
        };
        node * self.parts + place
    }

    /// The last frame of a message bears the message's flow; all others have their own.
    fn flow_of(&self, node: usize, frame: Frame) -> i64 {
        match self.has_answers && frame.is_last {
            true => self.message_flow(),
            false => ((2 * i64::from(frame.number) + node as i64) << 1) | 1,
        }
    }

    fn message_flow(&self) -> i64 {
        i64::from(self.way) << 1
    }

    fn slice(&self, node: usize, part: Part, act: Act, begin_ps: u64) -> Slice {
        let (name, bytes, frame) = told(act);
        // A frame that comes in was made by the other node.
        let maker = match act {
            Act::TransferIn(_)
            | Act::Job(Job::DriverIn(_) | Job::Poll(_) | Job::BridgeIn(_) | Job::ProtocolIn(_)) => {
                1 - node
            }
            _ => node,
        };
        Slice {
            track: self.track(node, part) as u32,
            name,
            begin_ps,
            end_ps: begin_ps,
            bytes,
            flow: frame.map_or(-1, |frame| self.flow_of(maker, frame)),
            is_put_off: false,
        }
    }
}

impl Watch for Recorder {
    fn begins(&mut self, node: usize, part: Part, act: Act, now_ps: u64) {
        if self.is_on {
            let track = self.track(node, part);
            self.open[track] = Some(self.slice(node, part, act, now_ps));
        }
    }

    fn ends(&mut self, node: usize, part: Part, is_over: bool, now_ps: u64) {
        let track = self.track(node, part);
        let Some(slice) = self.open[track].take() else {
            return;
        };
        self.last_ended = None;
        if self.seen.slices.len() >= MOST_SLICES {
            self.seen.is_cut = true;
        } else {
            self.last_ended = Some(self.seen.slices.len());
            self.seen.slices.push(Slice {
                end_ps: now_ps,
                is_put_off: !is_over,
                ..slice
            });
        }
    }

    fn changes(&mut self, node: usize, gauge: Gauge, value: u64, now_ps: u64) {
        if self.is_on && !self.seen.is_cut {
            self.seen.readings.push(Reading {
                node: node as u32,
                gauge,
                at_ps: now_ps,
                value,
            });
        }
    }

    fn passes(&mut self, stage: Stage, now_ps: u64) {
        if !(self.is_on && self.has_answers) {
            return;
        }
        self.seen.passages.push(Passage {
            way: self.way,
            stage,
            begin_ps: self.stage_ps,
            end_ps: now_ps,
        });
        self.stage_ps = now_ps;
        let flow = self.message_flow();
        let ended = self.last_ended.map(|last| &mut self.seen.slices[last]);
        if let Some(slice) = ended.filter(|slice| slice.end_ps == now_ps) {
            slice.flow = flow;
        }
        self.way += u32::from(stage == Stage::Application);
    }

    fn batch_begins(&mut self, now_ps: u64) {
        self.is_on = self.has_answers || self.seen.batches_ps.is_empty();
        if self.is_on {
            self.seen.batches_ps.push(now_ps);
        }
    }
}

/// An act's name (an index of `NAMES`), bytes and frame.
fn told(act: Act) -> (u32, i64, Option<Frame>) {
    let of = |name: u32, frame: Frame| (name, i64::from(frame.payload_bytes), Some(frame));
    match act {
        Act::Job(job) => match job {
            Job::Call => (0, 0, None),
            Job::Interrupt => (1, 0, None),
            Job::DriverIn(frame) | Job::Poll(frame) => of(2, frame),
            Job::DriverOut(frame) => of(3, frame),
            Job::ProtocolIn(frame) => of(4, frame),
            Job::ProtocolOut(frame) => of(5, frame),
            Job::Refill => (6, 0, None),
            Job::WakeUp => (7, 0, None),
            Job::Switch => (8, 0, None),
            Job::SystemCall => (9, 0, None),
            Job::CopyOut(bytes) => (10, i64::from(bytes), None),
            Job::CopyIn(bytes) => (11, i64::from(bytes), None),
            Job::Compute => (12, 0, None),
            Job::BridgeIn(frame) | Job::BridgeOut(frame) => of(19, frame),
            Job::Library { bytes, .. } => (18, bytes as i64, None),
        },
        Act::TransferOut(frame) => of(13, frame),
        Act::TransferIn(frame) => of(14, frame),
        Act::Frame(frame) => of(15, frame),
        Act::Coalescing => (16, 0, None),
        Act::Signal => (17, 0, None),
    }
}
