//! What a fabric is: hosts, switches, the links between them, and prices.
//!
//! One TOML file describes a fabric. [`load`] reads it, checks it and resolves every shorthand, so that
//! the lab, the simulator and the cost model all see the same plain list of hosts, switches and links.

mod attach;
mod contention;
mod cost;
mod draft;
mod fabric;
mod framing;
mod guest;
pub mod hash;
mod layout;
mod link_keys;
mod load;
mod networks;
mod node_set;
mod overrides;
mod quantity;
pub mod queue;
mod racks;
mod routing;
mod trunks;
mod ways;
pub mod weather;
mod wiring;

pub use contention::CapacityByPorts;
pub use cost::{Cost, Per, Power, Price, PriceFile, load_prices};
pub use fabric::{Direction, Fabric, Host, LimitedPath, Link, Switch};
pub use framing::{ETHERNET_BYTES, Framing, IP_AND_TCP_BYTES, Medium, TIME_STAMP_BYTES};
pub use guest::{Bond, Guest};
pub use layout::{Between, Detour, Layout, Port};
pub use load::{FabricError, load};
pub use quantity::{BitRate, Nanoseconds};
pub use racks::{Racks, Stand};
pub use routing::{Fields, Hashing, Routing, Unit};
pub use ways::{Interior, Limit, Mesh, Paths, Place, Span, Tree, TreeSwitch, Trunk, nodes_of};
pub use wiring::Wiring;
