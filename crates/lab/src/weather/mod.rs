//! Weather: what changes in a lab while it is up.

pub mod conductor;
mod log;
mod places;
mod running;
mod spells;

pub use places::{Changeable, Places};
