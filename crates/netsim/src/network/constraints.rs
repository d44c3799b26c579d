//! What every network says of itself.

use std::fmt::Debug;

use weft_fabric::{Framing, Wiring};

use crate::packets::Limit;

use super::{Contended, Flow, Path};

/// The hosts and the constraints of a network.
pub trait Inventory {
    /// What it is called.
    fn name(&self) -> &str;

    /// How many hosts it has.
    fn hosts(&self) -> usize;

    /// What a host is called.
    fn host_name(&self, host: usize) -> String;

    /// By constraint what it carries, in bit/s as on a wire between switches; infinite where there is no limit.
    fn capacities(&self) -> &[f64];

    /// The constraints whose capacity depends on how many hosts contend; `capacities` has the greatest.
    fn contended(&self) -> &[Contended] {
        &[]
    }

    /// What a constraint is called, such as `n7 out`.
    fn constraint_name(&self, constraint: usize) -> String;

    /// What a frame takes behind it to arrive.
    fn constraint_delay_s(&self, constraint: usize) -> f64;
}

/// A network that is ready to be simulated.
pub trait Network: Inventory + Debug + Send + Sync {
    /// How many networks a host may be in.
    fn networks(&self) -> u32 {
        1
    }

    /// Whether a host can neither send nor receive.
    fn is_dead(&self, _host: usize) -> bool {
        false
    }

    /// A constraint as single frames meet it, with what may wait there; None where nothing is known of queues.
    fn limit(&self, _constraint: usize) -> Option<Limit> {
        None
    }

    /// Appends the shared constraints that a flow crosses to `route`, and says what the path costs. None where there is
    /// no path. A host has an empty path to itself.
    fn path(&self, flow: Flow, route: &mut Vec<u32>) -> Option<Path>;

    /// All constraints that a flow crosses in their order, those that are not shared among them.
    fn hops(&self, flow: Flow, route: &mut Vec<u32>) -> Option<Path> {
        self.path(flow, route)
    }

    /// Whether a hash of ports chooses among several paths of a pair.
    fn hashes_ports(&self) -> bool {
        false
    }

    /// Whether the connections that cross a constraint share what it carries, or each of them gets that much.
    fn is_shared(&self, _constraint: usize) -> bool {
        true
    }

    /// What chooses the path of a pair, in a few words.
    fn routing(&self) -> &'static str {
        "routes as listed"
    }

    /// Its switches and cables; None where nothing is known but routes.
    fn wiring(&self) -> Option<Wiring> {
        None
    }

    /// How messages become frames.
    fn framing(&self) -> Framing {
        Framing::Ethernet
    }
}
