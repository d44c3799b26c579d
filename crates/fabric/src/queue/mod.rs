//! Frames that wait for a limit: which of them are let in, in which order they leave, and when.

mod line;
mod schedule;
mod shares;

pub use line::Line;
pub use schedule::Schedule;
pub use shares::Admission;
