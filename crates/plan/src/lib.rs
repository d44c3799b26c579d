//! What to measure: a plan is a list of steps, a step expands into phases, a phase is a set of transfers.
//!
//! Pure: text in, values out. The same expansion drives live probes and simulators.

#[macro_use]
pub mod reading;

mod arrangement;
mod collective;
mod ensemble;
mod error;
mod goal;
mod hpl;
mod interference;
mod limits;
mod multipair;
mod options;
mod over;
mod pattern;
mod phase;
mod plan;
mod positions;
pub mod program;
mod race;
mod rate;
mod sizes;
mod step;
mod stop;
mod transport;
mod webserver;

pub use arrangement::{Arrangement, Policy};
pub use collective::{Algorithm, Collective, Operation, Piece, Script, Stretch, Ways, WrongByte};
pub use ensemble::{
    AllToAll, Cast, CastFile, Compression, Compute, Demand, Duplex, Halo, Health, Matrix, Measure,
    Mode, Pairs, Paths, Random, Replay, Ring, Shape, Streams, Traffic, Xray, mixed,
};
pub use error::{Fault, PlanError};
pub use goal::{Goal, Question};
pub use hpl::{Broadcast, Factor, Grid, Hpl, Swap};
pub use interference::{Congestor, Interference, Placement, Roles, Victim};
pub use limits::{Limits, Reach};
pub use multipair::{MultiPair, Test};
pub use options::{Calls, Mpi, Options, Wait};
pub use over::Over;
pub use pattern::keys::{PatternKey, StepKeys, step_keys};
pub use pattern::network::{Each, Network};
pub use pattern::{Grain, Pattern};
pub use phase::{Phase, Transfer, Work};
pub use plan::{Plan, load};
pub use race::{Confirm, Entrant, Prize, Race};

pub use rate::Rate;
pub use sizes::SizeSchedule;
pub use step::Step;
pub use stop::StopRule;
pub use transport::Transport;
pub use webserver::{Loop, Server, Webserver};
