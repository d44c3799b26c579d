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
mod layout;
mod link_keys;
mod load;
mod networks;
mod node_set;
mod overrides;
mod paths;
mod quantity;
pub mod queue;
mod routing;
mod tree;
mod trunks;
pub mod weather;

pub use contention::CapacityByPorts;
pub use fabric::{Direction, Fabric, Host, LimitedPath, Link, Price, Switch};
pub use framing::{ETHERNET_BYTES, Framing, IP_AND_TCP_BYTES, Medium};
pub use layout::{Detour, Layout, Port, host_links, port_of};
pub use load::{FabricError, load};
pub use paths::{Limit, Paths, Place};
pub use quantity::{BitRate, Nanoseconds};
pub use routing::Routing;
pub use tree::{Interior, Names, Neighbour, Tree, TreeSwitch, Trunk, neighbours_of, nodes_of};
