//! What happens inside two nodes while messages go between them.
//!
//! Pure: a machine and a plan's step in, samples and what everything was busy with out. [`Machine::load`] reads a machine,
//! [`Simulator`] carries out steps on two of it.

mod engine;
mod gamma;
mod machine;
mod occupation;
mod samples;
mod serving;
mod steady;

pub use engine::{Exchange, Failure, Load, Pair, Stage, Tally, Visits};
pub use gamma::{Loads, Stages, all_on_one};
pub use machine::{
    Application, Costs, Interrupts, IoBus, Link, Machine, Memory, Nic, Placement, Processor,
    Sockets, Task,
};
pub use occupation::{Budgets, Occupation, parts};
pub use samples::{Outcome, Simulator};
pub use serving::{Responses, serve};
pub use steady::{Measured, measure};

/// Why a machine's description is refused.
pub type MachineError = weft_plan::PlanError;
