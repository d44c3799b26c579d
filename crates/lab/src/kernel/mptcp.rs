//! Multipath TCP of a host with several interfaces: the kernel is told the further addresses to offer its peers.

use std::io;
use std::net::Ipv4Addr;

use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_GENERIC};

/// From linux/genetlink.h and linux/mptcp_pm.h.
const GENL_ID_CTRL: u16 = 0x10;
const CTRL_CMD_GETFAMILY: u8 = 3;
const CTRL_ATTR_FAMILY_ID: u16 = 1;
const CTRL_ATTR_FAMILY_NAME: u16 = 2;
const FAMILY: &[u8] = b"mptcp_pm\0";
const ADD_ADDR: u8 = 1;
const SET_LIMITS: u8 = 5;
const ATTR_ADDR: u16 = 1;
const ATTR_ACCEPTED: u16 = 2;
const ATTR_SUBFLOWS: u16 = 3;
const ADDR_FAMILY: u16 = 1;
const ADDR_IPV4: u16 = 3;
const ADDR_FLAGS: u16 = 6;
const ADDR_INTERFACE: u16 = 7;
const SIGNAL: u32 = 1;
const NESTED: u16 = 1 << 15;

const NLM_F_REQUEST: u16 = 1;
const NLM_F_ACK: u16 = 4;
const HEADER_BYTES: usize = 16;
const GENERIC_HEADER_BYTES: usize = 4;
/// An acknowledgement: an error number, 0 for none.
const NLMSG_ERROR: u16 = 2;
/// The most that the kernel takes.
const MOST_SUBFLOWS: u32 = 8;

/// Has the kernel of the calling thread's namespace offer these addresses, with the indices of their interfaces, and
/// take as many of its peers. Fails where the kernel has no Multipath TCP.
pub fn offer(addresses: &[(Ipv4Addr, u32)]) -> io::Result<()> {
    let mut socket = Socket::new(NETLINK_GENERIC)?;
    socket.bind_auto()?;
    socket.connect(&SocketAddr::new(0, 0))?;
    let family = family(&socket)?;
    let limits = [
        attribute(ATTR_ACCEPTED, &MOST_SUBFLOWS.to_ne_bytes()),
        attribute(ATTR_SUBFLOWS, &MOST_SUBFLOWS.to_ne_bytes()),
    ];
    request(&socket, family, SET_LIMITS, NLM_F_ACK, &limits.concat())?;
    for (address, interface) in addresses {
        let parts = [
            attribute(ADDR_FAMILY, &(libc::AF_INET as u16).to_ne_bytes()),
            attribute(ADDR_IPV4, &address.octets()),
            attribute(ADDR_FLAGS, &SIGNAL.to_ne_bytes()),
            attribute(ADDR_INTERFACE, &interface.to_ne_bytes()),
        ];
        let body = attribute(ATTR_ADDR | NESTED, &parts.concat());
        request(&socket, family, ADD_ADDR, NLM_F_ACK, &body)?;
    }
    Ok(())
}

/// The number that the kernel gave to the family of messages.
fn family(socket: &Socket) -> io::Result<u16> {
    let name = attribute(CTRL_ATTR_FAMILY_NAME, FAMILY);
    let answer = request(socket, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0, &name)?;
    let mut rest = answer
        .get(HEADER_BYTES + GENERIC_HEADER_BYTES..)
        .unwrap_or_default();
    while let [l0, l1, k0, k1, value @ ..] = rest {
        let bytes = usize::from(u16::from_ne_bytes([*l0, *l1]));
        if let (CTRL_ATTR_FAMILY_ID, [low, high, ..]) = (u16::from_ne_bytes([*k0, *k1]), value) {
            return Ok(u16::from_ne_bytes([*low, *high]));
        }
        rest = rest.get(aligned(bytes.max(4))..).unwrap_or_default();
    }
    Err(io::Error::from_raw_os_error(libc::ENOENT))
}

/// Sends a request and returns the answer, whole.
fn request(
    socket: &Socket,
    kind: u16,
    command: u8,
    flags: u16,
    attributes: &[u8],
) -> io::Result<Vec<u8>> {
    let length = (HEADER_BYTES + GENERIC_HEADER_BYTES + attributes.len()) as u32;
    let message = [
        &length.to_ne_bytes()[..],
        &kind.to_ne_bytes(),
        &(NLM_F_REQUEST | flags).to_ne_bytes(),
        &[0; 8],
        &[command, 1, 0, 0],
        attributes,
    ];
    socket.send(&message.concat(), 0)?;
    let (answer, _) = socket.recv_from_full()?;
    match error_number(&answer) {
        0 => Ok(answer),
        number => Err(io::Error::from_raw_os_error(number)),
    }
}

/// What an answer complains of; 0 where it does not.
fn error_number(answer: &[u8]) -> i32 {
    let is_error = answer.get(4..6) == Some(&NLMSG_ERROR.to_ne_bytes());
    match answer.get(HEADER_BYTES..HEADER_BYTES + 4) {
        Some(number) if is_error => -i32::from_ne_bytes(number.try_into().expect("4 bytes")),
        _ => 0,
    }
}

/// A length, a kind and a value, filled up to four bytes.
fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let length = (4 + value.len()) as u16;
    let mut bytes = [&length.to_ne_bytes()[..], &kind.to_ne_bytes(), value].concat();
    bytes.resize(aligned(bytes.len()), 0);
    bytes
}

fn aligned(bytes: usize) -> usize {
    bytes.next_multiple_of(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_filled_up() {
        assert_eq!(attribute(3, &[1]), [5, 0, 3, 0, 1, 0, 0, 0]);
        assert_eq!(attribute(3, &[1, 2, 3, 4]).len(), 8);
    }

    #[test]
    fn an_acknowledgement_without_an_error_is_none() {
        let mut answer = vec![0; 36];
        answer[4] = 2;
        assert_eq!(error_number(&answer), 0);
        answer[16..20].copy_from_slice(&(-libc::EPERM).to_ne_bytes());
        assert_eq!(error_number(&answer), libc::EPERM);
    }
}
