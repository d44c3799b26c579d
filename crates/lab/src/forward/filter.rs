//! Which frames a filter between two hosts is about.

use weft_fabric::weather::Filter;

use crate::forward::ports::{ip_of, ports_behind};

/// Whether a frame is one of a filter's packets. Of a packet in fragments only the first has ports.
pub fn matches(filter: &Filter, frame: &[u8]) -> bool {
    let Some(packet) = ip_of(frame) else {
        return false;
    };
    if packet.get(9) != Some(&(filter.protocol as u8)) {
        return false;
    }
    match &filter.ports {
        None => true,
        Some(ports) => {
            ports_behind(packet).is_some_and(|two| two.iter().any(|one| ports.contains(one)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IP: [u8; 2] = [0x08, 0x00];

    fn frame(protocol: u8, ports: [u16; 2], fragment: u16) -> Vec<u8> {
        let mut bytes = vec![0; 12];
        bytes.extend(IP);
        bytes.extend([0x45, 0, 0, 40, 0, 0]);
        bytes.extend(fragment.to_be_bytes());
        bytes.extend([64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        bytes.extend(ports.iter().flat_map(|port| port.to_be_bytes()));
        bytes
    }

    fn is_caught(filter: &str, frame: &[u8]) -> bool {
        matches(&Filter::parse(filter).unwrap(), frame)
    }

    #[test]
    fn a_filter_catches_its_protocol_and_its_ports_at_either_end() {
        let to_ssh = frame(6, [40_000, 22], 0);
        for (filter, expected) in [
            ("tcp", true),
            ("tcp/22", true),
            ("tcp/39000-40000", true),
            ("tcp/23", false),
            ("udp/22", false),
            ("icmp", false),
        ] {
            assert_eq!(is_caught(filter, &to_ssh), expected, "{filter}");
        }
        assert!(is_caught("icmp", &frame(1, [0, 0], 0)));
    }

    #[test]
    fn what_has_no_ports_is_in_no_range_of_them() {
        let later = frame(17, [5000, 5000], 185);
        assert!(is_caught("udp", &later) && !is_caught("udp/5000", &later));
        let mut arp = frame(6, [22, 22], 0);
        arp[13] = 6;
        assert!(!is_caught("tcp/22", &arp));
        assert!(!is_caught("tcp/22", &frame(6, [22, 22], 0)[..36]));
    }
}
