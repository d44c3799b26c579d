//! Caches that remember what was touched: set-associative, LRU, inclusive, kept coherent by MESI.

mod build;
mod cache;
mod count;
mod hierarchy;
mod member;
mod snoop;
mod write_buffer;

pub use count::{Access, Count};
pub use hierarchy::{Cost, Hierarchy};
pub use write_buffer::WriteBuffer;

#[cfg(test)]
mod invariants;
