//! Observers of two nodes at work. Ordinary runs have none: the engine is compiled for each kind of onlooker, and for
//! [`Unwatched`] nothing is left of these calls.

use super::budget::Stage;
use crate::engine::job::{Frame, Job};

/// Something in a node that does one thing at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Processor(usize),
    IoBus,
    Link,
    /// The network interface, as far as it waits to interrupt.
    Interface,
}

/// What a part does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Job(Job),
    TransferOut(Frame),
    TransferIn(Frame),
    Frame(Frame),
    Coalescing,
    /// The interrupt's way to the processor.
    Signal,
}

/// What of a node rises and falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gauge {
    /// Bytes of the ring that are taken.
    Ring,
    /// Bytes that were sent and not acknowledged.
    InFlight,
    /// Bytes that the other end lets us send now.
    Window,
}

/// An observer: is called for every event when it happens.
pub trait Watch {
    /// A job is on its way to a processor, whenever it will begin.
    fn posted(&mut self, _node: usize, _job: Job) {}
    fn begins(&mut self, _node: usize, _part: Part, _act: Act, _now_ps: u64) {}
    /// What a part did is over, or put off for something else.
    fn ends(&mut self, _node: usize, _part: Part, _is_over: bool, _now_ps: u64) {}
    fn changes(&mut self, _node: usize, _gauge: Gauge, _value: u64, _now_ps: u64) {}
    /// A stage is over for the last byte of a message.
    fn passes(&mut self, _stage: Stage, _now_ps: u64) {}
    /// A batch of messages begins; the first is the one behind the warm-up.
    fn batch_begins(&mut self, _now_ps: u64) {}
}

/// No observer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unwatched;

impl Watch for Unwatched {}
