//! The ports of a frame's packet.

const IP: [u8; 2] = [0x08, 0x00];
const IP_AT: usize = 14;
const TCP: u8 = 6;
const UDP: u8 = 17;

/// The header of an IP packet, and all behind it.
pub fn ip_of(frame: &[u8]) -> Option<&[u8]> {
    match frame.get(12..IP_AT) == Some(&IP[..]) {
        true => frame.get(IP_AT..),
        false => None,
    }
}

/// Source and destination of TCP and UDP. Of a packet in fragments only the first has ports.
pub fn ports_of(frame: &[u8]) -> Option<[u16; 2]> {
    let packet = ip_of(frame)?;
    let has_ports = matches!(packet.get(9), Some(&(TCP | UDP)));
    has_ports.then(|| ports_behind(packet)).flatten()
}

/// Those behind an IP header, where its protocol has ports.
pub fn ports_behind(packet: &[u8]) -> Option<[u16; 2]> {
    let [first, .., high, low] = *packet.first_chunk::<8>()?;
    let is_later_fragment = u16::from_be_bytes([high, low]) & 0x1fff != 0;
    let rest = packet.get(usize::from(first & 0xf) * 4..)?;
    let [a, b, c, d] = *rest.first_chunk::<4>()?;
    (!is_later_fragment).then(|| [u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])])
}
