//! Checked reading of TOML, for plans and for descriptions of other things.

#[macro_use]
mod named;

mod node_range;
mod place;
mod quantity;
mod range;
mod section;
mod setting;

pub use toml::{Table, Value};

pub use crate::error::Result;
pub use node_range::NodeRange;
pub use place::line_of;
pub use quantity::*;
pub use range::*;
pub use section::*;
pub(crate) use setting::set;
