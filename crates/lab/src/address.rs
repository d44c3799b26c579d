//! The fixed addresses of the lab's hosts. Every lab uses the same ones: its namespaces are its own.

use std::net::Ipv4Addr;

/// Length of the one network all hosts share.
pub const PREFIX_LENGTH: u8 = 16;

/// Locally administered, and recognisable in a packet dump.
const MAC_PREFIX: [u8; 4] = [0x02, b'w', b'f', 0];

/// An Ethernet address.
pub type MacAddress = [u8; 6];

/// The address of a host by its index, from 10.0.0.1 on.
pub fn ip_of(host: usize) -> Ipv4Addr {
    let [high, low] = number_of(host);
    Ipv4Addr::new(10, 0, high, low)
}

/// The Ethernet address of a host by its index.
pub fn mac_of(host: usize) -> MacAddress {
    let [a, b, c, d] = MAC_PREFIX;
    let [high, low] = number_of(host);
    [a, b, c, d, high, low]
}

/// The index of the host that has this Ethernet address.
pub fn host_of(mac: MacAddress) -> Option<usize> {
    let number = u16::from_be_bytes([mac[4], mac[5]]);
    (mac[..4] == MAC_PREFIX && number > 0).then(|| usize::from(number) - 1)
}

fn number_of(host: usize) -> [u8; 2] {
    ((host + 1) as u16).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_known_by_its_address() {
        assert_eq!(ip_of(0), Ipv4Addr::new(10, 0, 0, 1));
        assert_eq!(ip_of(299), Ipv4Addr::new(10, 0, 1, 44));
        for host in [0, 1, 254, 255, 300] {
            assert_eq!(host_of(mac_of(host)), Some(host));
        }
        assert_eq!(host_of([0xff; 6]), None);
    }
}
