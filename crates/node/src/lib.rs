//! What happens inside two nodes while messages go between them.
//!
//! Pure: a machine and a plan's step in, samples and what everything was busy with out. [`Machine::load`] reads a machine,
//! [`Simulator`] carries out steps on two of it.

mod caches;
mod census;
mod datagrams;
mod engine;
mod gamma;
mod machine;
mod multi_pair;
mod occupation;
mod recorder;
mod recording;
mod samples;
mod serving;
mod steady;

pub use caches::{Access, Cost, Count, Hierarchy};
pub use census::Census;
pub use datagrams::{Deliveries, Streamed, stream};
pub use engine::{
    Carrier, Exchange, Failure, Gauge, Load, Pair, Place, Route, Sent, Stage, Tally, Unwatched,
    Visits, Watch,
};
pub use gamma::{Loads, Stages, all_on_one};
pub use machine::{
    Application, Breakdown, Cache, Caches, Costs, DriverDomain, Footprints, Holds, Interface,
    Interrupts, IoBus, Libraries, Library, Link, Location, Machine, MeanAccess, Memory,
    MemoryModel, Nic, Placement, Processor, Remote, Sockets, Task,
};
pub use occupation::{Budgets, CacheHits, Categories, Occupation, parts};
pub use recorder::{Recorder, tracks};
pub use recording::{NAMES, Passage, Reading, Recording, Slice};
pub use samples::{Outcome, Simulator};
pub use serving::{Responses, serve};
pub use steady::{Measured, measure, observe};

/// Why a machine's description is refused.
pub type MachineError = weft_plan::PlanError;
