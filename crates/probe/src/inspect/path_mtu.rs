//! The largest packet that reaches a peer unbroken, by trying: packets that may not be broken up either arrive or not.

use std::io;
use std::net::UdpSocket;
use std::time::Duration;

use rustix::net::sockopt::{
    Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery, ip_mtu, ipv6_mtu, set_ip_mtu_discover,
    set_ipv6_mtu_discover,
};

use super::question::{Asker, Peer};

/// Every IPv4 link carries this much, every IPv6 link more.
const LEAST_BYTES: u32 = 576;
const MOST_BYTES: u32 = 65_535;
const TRIES: u32 = 2;
const LEAST_WAIT: Duration = Duration::from_millis(150);

/// In bytes with IP's and UDP's headers; none where not even the least gets there.
pub fn find(asker: &mut Asker, peer: &Peer, round_trip: Duration) -> Option<u32> {
    forbid_fragments(&asker.socket, peer.to.is_ipv6()).ok()?;
    let headers = if peer.to.is_ipv6() { 48 } else { 28 };
    let wait = LEAST_WAIT.max(10 * round_trip);
    let most = interface_mtu(&asker.socket, peer.to.is_ipv6())
        .unwrap_or(1500)
        .clamp(LEAST_BYTES, MOST_BYTES);
    largest(LEAST_BYTES, most, |mtu| {
        let bytes = (mtu - headers) as usize;
        (0..TRIES).any(|_| matches!(asker.ask(bytes, wait), Ok(Some(_))))
    })
}

/// The largest number that passes: most often the last one does, and one question is enough.
fn largest(least: u32, most: u32, mut passes: impl FnMut(u32) -> bool) -> Option<u32> {
    if passes(most) {
        return Some(most);
    }
    if !passes(least) {
        return None;
    }
    let (mut good, mut bad) = (least, most);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if passes(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Some(good)
}

/// Send as asked or not at all, whatever the kernel believes about the path.
fn forbid_fragments(socket: &UdpSocket, is_six: bool) -> io::Result<()> {
    match is_six {
        true => set_ipv6_mtu_discover(socket, Ipv6PathMtuDiscovery::PROBE)?,
        false => set_ip_mtu_discover(socket, Ipv4PathMtuDiscovery::PROBE)?,
    }
    Ok(())
}

/// The kernel's estimate of the path: at first the MTU of the interface it begins with.
fn interface_mtu(socket: &UdpSocket, is_six: bool) -> Option<u32> {
    match is_six {
        true => ipv6_mtu(socket).ok(),
        false => ip_mtu(socket).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_found_exactly_and_seldom_asked_for() {
        for limit in [576, 577, 1280, 1499, 1500, 4000, 8999, 9000] {
            let mut asked = 0;
            let found = largest(576, 9000, |mtu| {
                asked += 1;
                mtu <= limit
            });
            assert_eq!(found, Some(limit));
            assert!(asked <= 16, "{asked} questions for {limit}");
        }
        assert_eq!(largest(576, 1500, |_| false), None);
    }
}
