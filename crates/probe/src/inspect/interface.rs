//! The network interface that has an address.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::Serialize;

use super::ethtool::{Ethtool, OFFLOADS};
use super::pci::{self, Slot};
use crate::system::{counters, interfaces};

const RUNNING: i32 = libc::IFF_UP | libc::IFF_RUNNING;

/// What the kernel and the driver say of it; what they do not report is left out.
#[derive(Debug, Serialize)]
pub struct Interface {
    pub name: String,
    pub up: bool,
    pub loopback: bool,
    pub mtu_bytes: Option<u32>,
    pub link_mbps: Option<u32>,
    pub duplex: Option<&'static str>,
    pub autoneg: Option<bool>,
    pub driver: String,
    pub driver_version: String,
    pub firmware: String,
    pub slot: Option<Slot>,
    pub offloads: BTreeMap<&'static str, bool>,
    pub received_errors: Option<u64>,
    pub received_drops: Option<u64>,
}

/// The interface with this address; none where no interface has it.
pub fn of(address: IpAddr) -> Option<Interface> {
    let found = interfaces::addresses()
        .into_iter()
        .find(|one| one.ip == address)?;
    Some(describe(&found.interface, found.flags as i32))
}

fn describe(name: &str, flags: i32) -> Interface {
    let driver = Ethtool::new(name).ok();
    let link = driver.as_ref().and_then(Ethtool::link);
    let maker = driver.as_ref().and_then(Ethtool::driver);
    let maker = maker.unwrap_or_default();
    let counted = counters::read();
    let counted = counted.get(name);
    Interface {
        name: name.to_owned(),
        up: flags & RUNNING == RUNNING,
        loopback: flags & libc::IFF_LOOPBACK != 0,
        mtu_bytes: driver.as_ref().and_then(Ethtool::mtu),
        link_mbps: link.as_ref().and_then(|link| link.mbps),
        duplex: link.as_ref().and_then(|link| link.duplex),
        autoneg: link.as_ref().map(|link| link.autoneg),
        slot: pci::slot(&maker.bus),
        offloads: offloads(driver.as_ref()),
        received_errors: counted.map(|numbers| numbers[2]),
        received_drops: counted.map(|numbers| numbers[3]),
        driver: maker.name,
        driver_version: maker.version,
        firmware: maker.firmware,
    }
}

fn offloads(driver: Option<&Ethtool>) -> BTreeMap<&'static str, bool> {
    let said = OFFLOADS
        .iter()
        .filter_map(|(name, command)| Some((*name, driver?.offload(*command)?)));
    said.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_found_by_its_address() {
        let found = of("127.0.0.1".parse().expect("an address")).expect("loopback");
        assert_eq!(found.name, "lo");
        assert!(found.loopback && found.up);
        assert!(found.mtu_bytes.is_some_and(|mtu| mtu >= 1280));
        assert!(of("192.0.2.77".parse().expect("an address")).is_none());
    }
}
