//! What a host is like that is a virtual machine.

mod behind;
pub mod read;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a virtual machine is like; what is absent is as the testbed has it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guest {
    /// Its processors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u32>,
    /// Its memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mbytes: Option<u32>,
    /// The models of its cards, one for each interface in turn; the last holds for further ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nics: Vec<String>,
    /// Whether cards compute checksums, cut segments and join what they receive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offloads: Option<bool>,
    /// The number of the VLAN that its frames are tagged with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vlan: Option<u32>,
    /// Whether its addresses are on bridges over its interfaces.
    #[serde(default, skip_serializing_if = "is_false")]
    pub bridge: bool,
    /// The bond over its interfaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bond: Option<Bond>,
    /// Settings of its kernel, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sysctl: BTreeMap<String, String>,
    /// The host whose kernel bridges its frames, as Xen's first domain does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<String>,
}

/// A bond of Linux' bonding driver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bond {
    /// Such as `balance-rr`.
    pub mode: String,
    /// What chooses the interface of a packet, such as `layer3+4`; the mode's own where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// How often the driver looks for a carrier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub miimon_ms: Option<u32>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(value: &bool) -> bool {
    !value
}
