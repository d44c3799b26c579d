//! Multipath TCP: a connection of its own, at a port that the two ends tell each other.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};

use serde::Serialize;
use socket2::{Domain, Protocol, SockRef, Socket, Type};

use crate::listener::accept::Listener;
use crate::listener::connect::introduce;
use crate::listener::place::{Place, Purpose};
use crate::listener::ports::{self, PortRange};
use crate::system::{socket_option, tcp_socket};
use crate::wire::setup::Setup;

/// From the kernel's linux/mptcp.h, which the C library's headers do not have.
const SOL_MPTCP: i32 = 284;
const MPTCP_INFO: i32 = 1;
const FALLBACK: u32 = 1;
/// The words of struct mptcp_info: the first begins with the count of subflows, the third is flags.
const INFO_WORDS: usize = 32;
const SUBFLOWS: usize = 0;
const FLAGS: usize = 2;

/// What became of a connection.
#[derive(Debug, Serialize)]
pub struct Effective {
    pub send_buffer_bytes: usize,
    pub receive_buffer_bytes: usize,
    pub subflows: u32,
    /// Whether the path did not let MPTCP through, so that it is plain TCP.
    pub fell_back: bool,
}

/// A socket for MPTCP, where the kernel has it.
pub fn new_socket(domain: Domain) -> io::Result<Socket> {
    Socket::new(domain, Type::STREAM, Some(Protocol::MPTCP))
}

/// Listeners for further paths of a connection, as long as they are kept.
pub type Entrances = Vec<Socket>;

/// Have the other end of `control` connect, and let in nothing else.
pub fn host(control: &mut TcpStream, setup: &Setup) -> io::Result<(TcpStream, Entrances)> {
    let socket =
        ports::listen(setup.address, setup.ports, 16, || prepared(setup)).map_err(second_port)?;
    let mut listener = Listener::of(socket, &setup.token, &setup.refused)?;
    let port = listener.port()?;
    let entrances = entrances(setup, port)?;
    control.write_all(&port.to_le_bytes())?;
    let peer = listener.accept(Place::in_pair(Purpose::Multipath), setup.patience())?;
    listener.close();
    Ok((peer.into(), entrances))
}

/// A further path uses the port of the first, at an address that the kernel has offered. The kernel lets it in if
/// a socket listens there, and only if it belongs to a connection.
fn entrances(setup: &Setup, port: u16) -> io::Result<Entrances> {
    let same_port = Some(PortRange(port, port));
    let listen = |address: &IpAddr| ports::listen(*address, same_port, 16, || prepared(setup));
    setup.more_addresses.iter().map(listen).collect()
}

/// Connect to the other end of `control`.
pub fn join(control: &mut TcpStream, setup: &Setup) -> io::Result<TcpStream> {
    let mut port = [0; 2];
    control.read_exact(&mut port)?;
    let peer = SocketAddr::new(control.peer_addr()?.ip(), u16::from_le_bytes(port));
    let socket = prepared(setup)?;
    socket.bind(&SocketAddr::new(setup.address, 0).into())?;
    socket.connect_timeout(&peer.into(), setup.patience())?;
    let place = Place::in_pair(Purpose::Multipath);
    introduce(&socket, place, &setup.token, setup.patience())?;
    socket.set_read_timeout(None)?;
    Ok(socket.into())
}

/// The settings in force.
pub fn effective(socket: &TcpStream) -> io::Result<Effective> {
    // A connection that fell back may have none.
    let info: [u32; INFO_WORDS] = socket_option::get(socket, SOL_MPTCP, MPTCP_INFO)?;
    let socket = SockRef::from(socket);
    Ok(Effective {
        send_buffer_bytes: socket.send_buffer_size()?,
        receive_buffer_bytes: socket.recv_buffer_size()?,
        // The kernel counts those beside the first.
        subflows: u32::from(info[SUBFLOWS].to_ne_bytes()[0]) + 1,
        fell_back: info[FLAGS] & FALLBACK != 0,
    })
}

/// The range may have held the first port and no more.
fn second_port(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            let message = format!("{error}: MPTCP needs one beside the port on which the two meet");
            io::Error::new(error.kind(), message)
        }
        _ => error,
    }
}

fn prepared(setup: &Setup) -> io::Result<Socket> {
    let socket = new_socket(Domain::for_address(SocketAddr::new(setup.address, 0)))?;
    tcp_socket::apply(&socket, &setup.step.options)?;
    Ok(socket)
}
