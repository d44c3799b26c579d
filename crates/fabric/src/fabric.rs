//! The resolved fabric: every set of nodes expanded, every default filled in, every unit converted.

use serde::{Deserialize, Serialize};

use crate::contention::CapacityByPorts;
use crate::cost::Cost;
use crate::guest::Guest;
use crate::quantity::{BitRate, Nanoseconds};
use crate::racks::Racks;
use crate::routing::Routing;
use crate::weather::Weather;

/// A whole fabric. Hosts and switches are known by name; links join any two of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fabric {
    /// The fabric's own name.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// What every rate in the file was multiplied by.
    pub scale: f64,
    /// What chooses the path between two hosts; runs of before there was a choice do not say.
    #[serde(default)]
    pub routing: Routing,
    /// The hosts, in the order of the file: their index is their node number in a run.
    pub hosts: Vec<Host>,
    /// The switches, in the order of the file.
    pub switches: Vec<Switch>,
    /// The links, those of the hosts first.
    pub links: Vec<Link>,
    /// Single routes with a limit of their own.
    pub paths: Vec<LimitedPath>,
    /// What its parts cost.
    #[serde(default)]
    pub cost: Cost,
    /// Where they stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Racks>,
    /// What changes while it is up.
    #[serde(default, skip_serializing_if = "Weather::is_none")]
    pub weather: Weather,
}

/// A machine that programs run on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Its name, such as `n1`.
    pub name: String,
    /// What it is like as a virtual machine, where the file says that it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guest: Option<Guest>,
    /// Whether it stays a namespace where the others are made virtual machines.
    #[serde(default, skip_serializing_if = "is_false")]
    pub namespace: bool,
}

/// A switch, or a part of one: `module1/asic2` is inside `module1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Switch {
    /// Its name.
    pub name: String,
    /// The switch it is a part of.
    pub parent: Option<String>,
    /// How many hosts it takes; unlimited where absent.
    pub ports: Option<u32>,
    /// What everything below it may send altogether, and likewise receive, traffic among themselves
    /// included; not limited where absent.
    pub capacity_bits_per_s: Option<BitRate>,
    /// Where the capacity depends on how many ports contend; `capacity_bits_per_s` is then the greatest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_by_ports: Option<CapacityByPorts>,
    /// Frames that wait for the capacity before further ones are dropped.
    pub queue_frames: u32,
}

/// A cable between two nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The names of the two nodes.
    pub ends: [String; 2],
    /// From the first end to the second.
    pub forward: Direction,
    /// From the second end to the first.
    pub backward: Direction,
    /// The largest IP packet it carries.
    pub mtu_bytes: u32,
    /// Frames that wait in front of each direction before further ones are dropped.
    pub queue_frames: u32,
    /// Which network it belongs to; a host has at most one link in each. The first is 0.
    #[serde(default)]
    pub network: u32,
    /// Whether it takes everything and delivers nothing.
    pub dead: bool,
    /// Whether it is a part of a chassis, such as a line card's way to the backplane, and no cable.
    #[serde(default, skip_serializing_if = "is_false")]
    pub inside: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(value: &bool) -> bool {
    !value
}

impl Link {
    /// Whether nothing limits it in either direction.
    pub fn is_unshaped(&self) -> bool {
        !self.dead && self.forward.is_unshaped() && self.backward.is_unshaped()
    }

    /// Whether a node is one of its ends.
    pub fn joins(&self, node: &str) -> bool {
        self.ends.iter().any(|end| end == node)
    }

    /// The direction that leads away from one of its ends, and the direction to it.
    pub fn directions_from(&self, node: &str) -> (Direction, Direction) {
        match self.ends[0] == node {
            true => (self.forward, self.backward),
            false => (self.backward, self.forward),
        }
    }
}

/// One direction of a link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Direction {
    /// Bits on the wire per second, everything of a frame counted; as fast as it goes where absent.
    pub rate_bits_per_s: Option<BitRate>,
    /// What passes between a frame's last bit leaving and arriving.
    pub delay_ns: Nanoseconds,
    /// Larger IP packets are lost, and nothing says so to their sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drops_above_bytes: Option<u32>,
    /// How many of a million frames are lost, by chance.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub loss_ppm: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Direction {
    /// Whether it loses frames that would have found room.
    pub fn is_lossy(&self) -> bool {
        self.loss_ppm > 0 || self.drops_above_bytes.is_some()
    }

    /// Whether it carries everything at once.
    pub fn is_unshaped(&self) -> bool {
        *self == Self::default()
    }
}

/// The route from one host to another, where that alone is limited, as a bad hash bucket of a trunk makes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitedPath {
    /// The sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// What the route carries.
    #[serde(rename = "lane")]
    pub direction: Direction,
    /// Frames that wait in front of it before further ones are dropped.
    pub queue_frames: u32,
    /// The network it is in. The first is 0.
    pub network: u32,
}
