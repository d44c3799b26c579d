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
pub mod hash;
mod layout;
mod link_keys;
mod load;
mod mesh;
mod mesh_paths;
mod networks;
mod node_set;
mod overrides;
mod paths;
mod quantity;
pub mod queue;
mod racks;
mod routing;
mod tree;
mod trunks;
pub mod weather;
mod wiring;

pub use contention::CapacityByPorts;
pub use cost::{Cost, Per, Power, Price, PriceFile, load_prices};
pub use fabric::{Direction, Fabric, Host, LimitedPath, Link, Switch};
pub use framing::{ETHERNET_BYTES, Framing, IP_AND_TCP_BYTES, Medium};
pub use layout::{Between, Detour, Layout, Port};
pub use load::{FabricError, load};
pub use mesh::Mesh;
pub use paths::{Limit, Paths, Place, Span};
pub use quantity::{BitRate, Nanoseconds};
pub use racks::{Racks, Stand};
pub use routing::{Fields, Hashing, Routing, Unit};
pub use tree::{Interior, Tree, TreeSwitch, Trunk, nodes_of};
pub use wiring::Wiring;
