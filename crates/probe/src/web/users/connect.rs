//! Users' connections to the server.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::io::Errno;
use socket2::Socket;

use crate::system::poll::poll;
use crate::system::tcp_socket;
use crate::wire::setup::Setup;

/// So many are opened at a time, fewer than a server keeps waiting.
const AT_ONCE: usize = 64;

/// So many connections, which do not block.
pub fn connect_all(setup: &Setup, to: SocketAddr, count: usize) -> io::Result<Vec<TcpStream>> {
    let mut all = Vec::with_capacity(count);
    while all.len() < count {
        let more = AT_ONCE.min(count - all.len());
        let begun = (0..more)
            .map(|_| begin(setup, to))
            .collect::<io::Result<Vec<_>>>()?;
        for socket in begun {
            all.push(finish(socket, to, setup.patience())?);
        }
    }
    Ok(all)
}

/// One in the place of one that broke.
pub fn reconnect(setup: &Setup, to: SocketAddr) -> io::Result<TcpStream> {
    finish(begin(setup, to)?, to, setup.patience())
}

fn begin(setup: &Setup, to: SocketAddr) -> io::Result<Socket> {
    let from: IpAddr = setup.address;
    let socket = tcp_socket::new_socket(from)?;
    tcp_socket::apply(&socket, &setup.step.options)?;
    socket.bind(&SocketAddr::new(from, 0).into())?;
    socket.set_nonblocking(true)?;
    match socket.connect(&to.into()) {
        Err(error) if error.raw_os_error() != Some(Errno::INPROGRESS.raw_os_error()) => {
            Err(explain(error, to))
        }
        _ => Ok(socket),
    }
}

fn finish(socket: Socket, to: SocketAddr, patience: Duration) -> io::Result<TcpStream> {
    if !poll([(&socket, PollFlags::OUT)], Some(patience))? {
        let error = io::Error::new(io::ErrorKind::TimedOut, "it does not answer");
        return Err(explain(error, to));
    }
    match socket.take_error()? {
        Some(error) => Err(explain(error, to)),
        None => Ok(socket.into()),
    }
}

fn explain(error: io::Error, to: SocketAddr) -> io::Error {
    let message = format!(
        "cannot connect to the web server at {to}: {error}; a firewall? --ports sets the port"
    );
    io::Error::new(error.kind(), message)
}
