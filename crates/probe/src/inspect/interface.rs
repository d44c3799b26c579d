//! The network interface that has an address.

use std::net::IpAddr;

use serde::Serialize;

use super::device::Device;
use crate::system::{counters, interfaces};

const RUNNING: i32 = libc::IFF_UP | libc::IFF_RUNNING;

/// What the kernel and the driver say of it; what they do not report is left out.
#[derive(Debug, Serialize)]
pub struct Interface {
    pub name: String,
    pub up: bool,
    pub loopback: bool,
    #[serde(flatten)]
    pub device: Device,
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
    let counted = counters::read();
    let counted = counted.get(name);
    Interface {
        name: name.to_owned(),
        up: flags & RUNNING == RUNNING,
        loopback: flags & libc::IFF_LOOPBACK != 0,
        device: Device::of(name),
        received_errors: counted.map(|numbers| numbers[2]),
        received_drops: counted.map(|numbers| numbers[3]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_found_by_its_address() {
        let found = of("127.0.0.1".parse().expect("an address")).expect("loopback");
        assert_eq!(found.name, "lo");
        assert!(found.loopback && found.up);
        assert!(found.device.mtu_bytes.is_some_and(|mtu| mtu >= 1280));
        assert!(of("192.0.2.77".parse().expect("an address")).is_none());
    }
}
