//! The network interfaces of a node and their addresses.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char};
use std::iter;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr;

use serde::Serialize;

/// An interface that is up, and where it is reached.
#[derive(Debug, Serialize)]
pub struct Interface {
    pub name: String,
    pub addresses: Vec<IpAddr>,
    /// Whether it bonds others.
    pub is_bond: bool,
}

/// An address of an interface, with its flags (IFF_UP ...).
pub struct Address {
    pub interface: String,
    pub ip: IpAddr,
    pub flags: u32,
}

/// All interfaces that are up and have addresses; those that need a scope (IPv6 link-local) are left out.
pub fn gather() -> Vec<Interface> {
    let mut found: BTreeMap<String, Vec<IpAddr>> = BTreeMap::new();
    for one in addresses() {
        let needs_scope = matches!(one.ip, IpAddr::V6(six) if six.is_unicast_link_local());
        if one.flags & libc::IFF_UP as u32 != 0 && !needs_scope {
            found.entry(one.interface).or_default().push(one.ip);
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

/// Whether an interface is up and has a link; not where there is none of that name.
pub fn is_running(name: &str) -> bool {
    const RUNNING: libc::c_short = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    let any = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
    // Of either family: such questions are asked of any socket.
    let Ok(socket) = UdpSocket::bind(any).or_else(|_| UdpSocket::bind("[::]:0")) else {
        return true;
    };
    // SAFETY: all fields are numbers or pointers, for which zeros are values; the name ends with a zero, and the
    // kernel writes flags into the request that lives through the call.
    unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        if name.len() >= request.ifr_name.len() {
            return false;
        }
        for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
            *to = from as c_char;
        }
        let outcome = libc::ioctl(
            socket.as_raw_fd(),
            libc::SIOCGIFFLAGS as _,
            &raw mut request,
        );
        outcome == 0 && request.ifr_ifru.ifru_flags & RUNNING == RUNNING
    }
}

/// The internet addresses of all interfaces; none where the kernel does not tell.
pub fn addresses() -> Vec<Address> {
    let mut first = ptr::null_mut();
    // SAFETY: the kernel's list is read until its end and freed once; its names end with a zero.
    unsafe {
        if libc::getifaddrs(&raw mut first) != 0 {
            return Vec::new();
        }
        let list = iter::successors(first.as_ref(), |one| one.ifa_next.as_ref());
        let found = list.filter_map(|one| {
            Some(Address {
                interface: CStr::from_ptr(one.ifa_name).to_string_lossy().into_owned(),
                ip: ip_of(one.ifa_addr)?,
                flags: one.ifa_flags,
            })
        });
        let found = found.collect();
        libc::freeifaddrs(first);
        found
    }
}

/// # Safety
/// The address must be null or as long as its family says.
unsafe fn ip_of(address: *const libc::sockaddr) -> Option<IpAddr> {
    // SAFETY: the caller's.
    unsafe {
        match i32::from(address.as_ref()?.sa_family) {
            libc::AF_INET => {
                let four = (*address.cast::<libc::sockaddr_in>()).sin_addr.s_addr;
                Some(IpAddr::from(four.to_ne_bytes()))
            }
            libc::AF_INET6 => {
                let six = (*address.cast::<libc::sockaddr_in6>()).sin6_addr.s6_addr;
                Some(IpAddr::from(six))
            }
            _ => None,
        }
    }
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
