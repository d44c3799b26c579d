//! The application of a stream's receiver, which computes with what comes in: calibrated work without memory accesses.

mod load;
pub mod work;

pub use load::{Application, Counts, Idle, Load};
