//! The interfaces of a lab: pairs of virtual Ethernet ends, their addresses and their offloads.

use std::io;
use std::net::IpAddr;
use std::os::fd::AsRawFd;

use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::address::{AddressAttribute, AddressMessage};
use netlink_packet_route::link::{
    InfoData, InfoKind, InfoVeth, LinkAttribute, LinkFlags, LinkInfo, LinkMessage,
};
use netlink_packet_route::neighbour::{
    NeighbourAddress, NeighbourAttribute, NeighbourMessage, NeighbourState,
};
use netlink_packet_route::{AddressFamily, route::RouteType};

use crate::address::{Interface, MacAddress, PREFIX_LENGTH};
use crate::kernel::namespace::NetworkNamespace;
use crate::kernel::netlink::Netlink;
use crate::kernel::sys::check;

/// The index of the loopback interface in every namespace.
pub const LOOPBACK: u32 = 1;

/// One end of a virtual cable, as it shall be.
pub struct End<'a> {
    pub namespace: &'a NetworkNamespace,
    pub name: String,
    /// Its number in the namespace. Chosen by us, so that it need not be asked for.
    pub index: u32,
    pub mac: Option<MacAddress>,
}

/// Makes a virtual cable between two namespaces.
pub fn create_cable(netlink: &Netlink, ends: [&End<'_>; 2], mtu_bytes: u32) -> io::Result<()> {
    let mut near = end_message(ends[0], mtu_bytes);
    let far = end_message(ends[1], mtu_bytes);
    near.attributes.push(LinkAttribute::LinkInfo(vec![
        LinkInfo::Kind(InfoKind::Veth),
        LinkInfo::Data(InfoData::Veth(InfoVeth::Peer(far))),
    ]));
    netlink.create(RouteNetlinkMessage::NewLink(near))
}

fn end_message(end: &End<'_>, mtu_bytes: u32) -> LinkMessage {
    let mut message = LinkMessage::default();
    message.header.index = end.index;
    message.attributes = vec![
        LinkAttribute::IfName(end.name.clone()),
        LinkAttribute::NetNsFd(end.namespace.fd()),
        LinkAttribute::Mtu(mtu_bytes),
    ];
    let mac = end.mac.map(|mac| LinkAttribute::Address(mac.to_vec()));
    message.attributes.extend(mac);
    message
}

/// Switches an interface on.
pub fn bring_up(netlink: &Netlink, index: u32) -> io::Result<()> {
    set_state(netlink, index, true)
}

/// Switches an interface on or off.
pub fn set_state(netlink: &Netlink, index: u32, is_up: bool) -> io::Result<()> {
    let mut message = LinkMessage::default();
    message.header.index = index;
    message.header.flags = match is_up {
        true => LinkFlags::Up,
        false => LinkFlags::empty(),
    };
    message.header.change_mask = LinkFlags::Up;
    netlink.change(RouteNetlinkMessage::SetLink(message))
}

/// Limits the segments that TCP hands to an interface to be cut into frames there.
pub fn limit_segments(netlink: &Netlink, index: u32, segments: u32, bytes: u32) -> io::Result<()> {
    let mut message = LinkMessage::default();
    message.header.index = index;
    message.attributes = vec![
        LinkAttribute::GsoMaxSegs(segments),
        LinkAttribute::GsoMaxSize(bytes),
    ];
    netlink.change(RouteNetlinkMessage::SetLink(message))
}

/// Gives an interface its host's address.
pub fn add_address(netlink: &Netlink, index: u32, interface: Interface) -> io::Result<()> {
    let address = IpAddr::V4(interface.ip());
    let mut message = AddressMessage::default();
    message.header.family = AddressFamily::Inet;
    message.header.prefix_len = PREFIX_LENGTH;
    message.header.index = index;
    message.attributes = vec![
        AddressAttribute::Local(address),
        AddressAttribute::Address(address),
    ];
    netlink.create(RouteNetlinkMessage::NewAddress(message))
}

/// Gives a host another's Ethernet address, so that no measurement waits for address resolution.
pub fn add_neighbour(netlink: &Netlink, index: u32, other: Interface) -> io::Result<()> {
    let mut message = NeighbourMessage::default();
    message.header.family = AddressFamily::Inet;
    message.header.ifindex = index;
    message.header.state = NeighbourState::Permanent;
    message.header.kind = RouteType::Unicast;
    message.attributes = vec![
        NeighbourAttribute::Destination(NeighbourAddress::Inet(other.ip())),
        NeighbourAttribute::LinkLayerAddress(other.mac().to_vec()),
    ];
    netlink.create(RouteNetlinkMessage::NewNeighbour(message))
}

const SIOCETHTOOL: libc::c_ulong = 0x8946;
/// ETHTOOL_STSO, _SGSO, _STXCSUM and _SGRO of linux/ethtool.h; the one before each asks.
const OFFLOADS: [u32; 4] = [0x1f, 0x24, 0x17, 0x2c];

#[repr(C)]
struct EthtoolValue {
    command: u32,
    data: u32,
}

/// Switches the offloads of an interface in the calling thread's namespace off: what leaves the host
/// are then the frames, of the size and with the checksums, that a link would carry.
pub fn switch_offloads_off(name: &str) -> io::Result<()> {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0")?;
    OFFLOADS
        .iter()
        .try_for_each(|&command| match ethtool(&socket, name, command) {
            // The card of a guest has some that are off for good.
            Err(error) if error.raw_os_error() == Some(libc::EOPNOTSUPP) => {
                match ethtool(&socket, name, command - 1) {
                    Ok(0) => Ok(()),
                    _ => Err(error),
                }
            }
            done => done.map(drop),
        })
}

/// What the interface says to a command with the value 0.
fn ethtool(socket: &std::net::UdpSocket, name: &str, command: u32) -> io::Result<u32> {
    let mut value = EthtoolValue { command, data: 0 };
    // SAFETY: an all-zero ifreq is valid, and `value` outlives the call that reads it.
    unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        set_name(&mut request, name);
        request.ifr_ifru.ifru_data = (&raw mut value).cast();
        check(libc::ioctl(
            socket.as_raw_fd(),
            SIOCETHTOOL as _,
            &raw mut request,
        ))?;
    }
    Ok(value.data)
}

/// Whether the loopback interface of the calling thread's namespace is up.
pub fn is_loopback_up() -> bool {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0");
    socket.is_ok_and(|socket| flags_of(&socket, "lo") & libc::IFF_UP != 0)
}

fn flags_of(socket: &std::net::UdpSocket, name: &str) -> i32 {
    // SAFETY: an all-zero ifreq is valid; the kernel fills in the member that is read.
    unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        set_name(&mut request, name);
        libc::ioctl(
            socket.as_raw_fd(),
            libc::SIOCGIFFLAGS as _,
            &raw mut request,
        );
        i32::from(request.ifr_ifru.ifru_flags)
    }
}

fn set_name(request: &mut libc::ifreq, name: &str) {
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
}
