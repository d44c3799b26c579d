//! The network interfaces of a node and their addresses.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::Path;

use nix::ifaddrs::getifaddrs;
use nix::net::if_::InterfaceFlags;
use nix::sys::socket::SockaddrStorage;
use serde::Serialize;

/// An interface that is up, and where it is reached.
#[derive(Debug, Serialize)]
pub struct Interface {
    pub name: String,
    pub addresses: Vec<IpAddr>,
    /// Whether it bonds others.
    pub is_bond: bool,
}

/// All interfaces that are up and have addresses; those that need a scope (IPv6 link-local) are left out.
pub fn gather() -> Vec<Interface> {
    let mut found: BTreeMap<String, Vec<IpAddr>> = BTreeMap::new();
    let all = getifaddrs().into_iter().flatten();
    for one in all.filter(|one| one.flags.contains(InterfaceFlags::IFF_UP)) {
        if let Some(address) = one.address.as_ref().and_then(internet) {
            found.entry(one.interface_name).or_default().push(address);
        }
    }
    found
        .into_iter()
        .map(|(name, addresses)| Interface {
            is_bond: Path::new("/sys/class/net")
                .join(&name)
                .join("bonding")
                .exists(),
            name,
            addresses,
        })
        .collect()
}

fn internet(address: &SockaddrStorage) -> Option<IpAddr> {
    if let Some(address) = address.as_sockaddr_in() {
        return Some(IpAddr::V4(address.ip()));
    }
    let address = address.as_sockaddr_in6()?.ip();
    (!address.is_unicast_link_local()).then_some(IpAddr::V6(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_among_them() {
        let found = gather();
        let addresses = found.iter().flat_map(|one| &one.addresses);
        assert!(addresses.into_iter().any(IpAddr::is_loopback), "{found:?}");
    }
}
