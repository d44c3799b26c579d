//! What a network would do: transfers through constraints, at max-min fair rates.
//!
//! Everything that limits traffic is a constraint with a capacity: a host's interface in one direction, a link in one
//! direction, what a switch lets in or out. A transfer crosses some of them and runs at its max-min fair rate, which
//! changes only when a transfer begins or ends. [`Solver`] goes from one such event to the next. What is sent back for
//! transfers takes its room first.

mod answers;
mod apart;
mod classes;
mod completion;
mod components;
mod filling;
mod fingerprint;
mod groups;
mod local;
mod lumped;
mod redundant;
mod solution;
mod solver;
mod symmetry;
mod transfers;

pub use fingerprint::Fingerprint;
pub use lumped::{Crowd, Lumped, side_by_side};
pub use solution::{Interrupted, NOTHING, OWN_CAP, Rates, Solution};
pub use solver::{Settings, Solver};
pub use transfers::{Demand, Route, Transfers};
