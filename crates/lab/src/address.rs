//! The fixed addresses of the lab's hosts. Every lab uses the same ones: its namespaces are its own.

use std::net::Ipv4Addr;

/// Length of the network that all hosts share; a second network has its own.
pub const PREFIX_LENGTH: u8 = 16;

/// Locally administered, and recognisable in a packet dump. The network's number follows.
const MAC_PREFIX: [u8; 3] = [0x02, b'w', b'f'];

/// An Ethernet address.
pub type MacAddress = [u8; 6];

/// A host's connection to one of its networks, both by their index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interface {
    pub network: usize,
    pub host: usize,
}

impl Interface {
    /// Its address: from 10.0.0.1 on in the first network, from 10.1.0.1 on in the second.
    pub fn ip(self) -> Ipv4Addr {
        let [high, low] = self.host_number();
        Ipv4Addr::new(10, self.network as u8, high, low)
    }

    /// Its Ethernet address.
    pub fn mac(self) -> MacAddress {
        let [a, b, c] = MAC_PREFIX;
        let [high, low] = self.host_number();
        [a, b, c, self.network as u8, high, low]
    }

    /// The interface that has this Ethernet address.
    pub fn of_mac(mac: MacAddress) -> Option<Self> {
        let number = u16::from_be_bytes([mac[4], mac[5]]);
        (mac[..3] == MAC_PREFIX && number > 0).then(|| Self {
            network: usize::from(mac[3]),
            host: usize::from(number) - 1,
        })
    }

    /// Its name in its host.
    pub fn name(self) -> String {
        format!("eth{}", self.network)
    }

    fn host_number(self) -> [u8; 2] {
        ((self.host + 1) as u16).to_be_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_known_by_its_address() {
        let interface = |network, host| Interface { network, host };
        assert_eq!(interface(0, 0).ip(), Ipv4Addr::new(10, 0, 0, 1));
        assert_eq!(interface(1, 299).ip(), Ipv4Addr::new(10, 1, 1, 44));
        for host in [0, 1, 254, 255, 300] {
            let known = interface(host % 2, host);
            assert_eq!(Interface::of_mac(known.mac()), Some(known));
        }
        assert_eq!(Interface::of_mac([0xff; 6]), None);
    }
}
