//! What drives a network interface: driver, firmware, slot, link and offloads.

use std::collections::BTreeMap;

use serde::Serialize;

use super::ethtool::{Ethtool, OFFLOADS};
use super::pci::{self, Slot};

/// What the driver says; what it does not report is left out.
#[derive(Debug, Serialize)]
pub struct Device {
    pub mtu_bytes: Option<u32>,
    pub link_mbps: Option<u32>,
    pub duplex: Option<&'static str>,
    pub autoneg: Option<bool>,
    pub driver: String,
    pub driver_version: String,
    pub firmware: String,
    pub slot: Option<Slot>,
    pub offloads: BTreeMap<&'static str, bool>,
}

impl Device {
    /// That of the interface with this name.
    pub fn of(interface: &str) -> Self {
        let driver = Ethtool::new(interface).ok();
        let link = driver.as_ref().and_then(Ethtool::link);
        let maker = driver.as_ref().and_then(Ethtool::driver);
        let maker = maker.unwrap_or_default();
        Self {
            mtu_bytes: driver.as_ref().and_then(Ethtool::mtu),
            link_mbps: link.as_ref().and_then(|link| link.mbps),
            duplex: link.as_ref().and_then(|link| link.duplex),
            autoneg: link.as_ref().map(|link| link.autoneg),
            slot: pci::slot(&maker.bus),
            offloads: offloads(driver.as_ref()),
            driver: maker.name,
            driver_version: maker.version,
            firmware: maker.firmware,
        }
    }
}

fn offloads(driver: Option<&Ethtool>) -> BTreeMap<&'static str, bool> {
    let said = OFFLOADS
        .iter()
        .filter_map(|(name, command)| Some((*name, driver?.offload(*command)?)));
    said.collect()
}
