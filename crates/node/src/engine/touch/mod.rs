//! With caches: what jobs and transfers touch in memory, and the wait that this makes.

mod buffers;
mod layout;
mod payload;
mod touches;
mod walk;

pub use touches::{Standing, Touches};
