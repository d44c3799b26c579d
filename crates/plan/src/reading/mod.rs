//! Checked reading of TOML, for plans and for descriptions of other things.

mod quantity;
mod range;
mod section;

pub use toml::{Table, Value};

pub use quantity::*;
pub use range::*;
pub use section::*;
