//! Which transports this node's kernel has: found out by trying, before anything is measured.

use std::collections::BTreeMap;
use std::io;
use std::net::TcpStream;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use socket2::{Domain, Protocol, Socket, Type};

use crate::transport::icmp::IcmpSocket;
use crate::transport::mptcp;
use crate::transport::rings::Rings;
use crate::transport::tcp;
use crate::transport::uring::new_ring;
use crate::transport::zerocopy;

/// Each transport that not every kernel has, with the reason where this one does not have it.
pub fn transports() -> BTreeMap<&'static str, Option<String>> {
    [
        (
            "tcp-busy-poll",
            tcp("SO_BUSY_POLL, which needs CAP_NET_ADMIN", |socket| {
                tcp::busy_poll(&socket.into(), None)
            }),
        ),
        ("tcp-zerocopy", tcp("SO_ZEROCOPY", zerocopy::enable)),
        ("tcp-uring", uring()),
        ("mptcp", mptcp()),
        ("unix", unix()),
        ("shm", shm()),
        ("icmp", icmp()),
    ]
    .into_iter()
    .map(|(name, tried)| (name, tried.err()))
    .collect()
}

fn tcp(what: &str, ask: impl Fn(&TcpStream) -> io::Result<()>) -> Result<(), String> {
    Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))
        .and_then(|socket| ask(&socket.into()))
        .map_err(|error| refused(what, &error))
}

fn uring() -> Result<(), String> {
    new_ring()
        .map(drop)
        .map_err(|error| refused("io_uring (is kernel.io_uring_disabled 0?)", &error))
}

fn mptcp() -> Result<(), String> {
    mptcp::new_socket(Domain::IPV4)
        .map(drop)
        .map_err(|error| refused("an MPTCP socket (is net.mptcp.enabled 1?)", &error))
}

fn icmp() -> Result<(), String> {
    let what = "a ping socket (net.ipv4.ping_group_range) and a raw one (CAP_NET_RAW)";
    IcmpSocket::open()
        .map(drop)
        .map_err(|error| refused(what, &error))
}

fn unix() -> Result<(), String> {
    let name = format!("weft-{}", std::process::id());
    SocketAddr::from_abstract_name(name)
        .and_then(|address| UnixListener::bind_addr(&address))
        .map(drop)
        .map_err(|error| refused("a Unix socket", &error))
}

fn shm() -> Result<(), String> {
    Rings::create()
        .map(drop)
        .map_err(|error| refused("shared memory (memfd_create)", &error))
}

fn refused(what: &str, error: &io::Error) -> String {
    format!("the kernel refuses {what}: {error}")
}
