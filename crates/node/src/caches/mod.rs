//! Caches that remember what was touched: set-associative, LRU, inclusive, kept coherent by MESI.

mod build;
mod cache;
mod count;
mod hierarchy;
mod snoop;

pub use count::{Access, Count};
pub use hierarchy::{Cost, Hierarchy};

#[cfg(test)]
mod invariants;
