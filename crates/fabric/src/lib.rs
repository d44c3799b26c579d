//! What a fabric is: hosts, switches, the links between them, and prices.
//!
//! One TOML file describes a fabric. [`load`] reads it, checks it and resolves every shorthand, so that
//! the lab, the simulator and the cost model all see the same plain list of hosts, switches and links.

mod attach;
mod cost;
mod draft;
mod error;
mod fabric;
mod layout;
mod link_keys;
mod load;
pub mod network;
mod networks;
mod node_set;
mod overrides;
pub mod packets;
mod quantity;
mod reader;
mod routing;
pub mod samples;
pub mod simulate;
mod tree;
mod trunks;
mod ways;

pub use error::FabricError;
pub use fabric::{Fabric, Host, Lane, Link, Path, Price, Switch};
pub use layout::{Detour, Layout, Port};
pub use load::load;
pub use quantity::{BitRate, Nanoseconds};
pub use routing::Routing;
pub use tree::{Interior, Tree, TreeSwitch, Trunk};
pub use ways::{Limit, Place, Ways};
