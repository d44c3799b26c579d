//! The connecting end of a pair's connections.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use socket2::Socket;
use weft_plan::Options;

use super::handshake::Caller;
use super::place::Place;
use super::reachability;
use super::token::Token;
use crate::system::tcp_socket;

/// Connect to a peer's listener and show that we have the token; tries again after the listener closed this connection for
/// newer ones.
pub fn connect(
    from: IpAddr,
    to: SocketAddr,
    options: &Options,
    (place, token): (Place, &Token),
    patience: Duration,
) -> io::Result<TcpStream> {
    let deadline = Instant::now() + patience;
    loop {
        let socket = tcp_socket::new_socket(from)?;
        tcp_socket::apply(&socket, options)?;
        socket.bind(&SocketAddr::new(from, 0).into())?;
        socket
            .connect_timeout(&to.into(), patience)
            .map_err(|error| reachability::explain(error, from, to))?;
        match introduce(&socket, place, token, patience) {
            Ok(()) => return Ok(socket.into()),
            Err(error) if was_pushed_out(&error) && Instant::now() < deadline => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let message = reachability::no_answer(to);
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
            Err(error) => return Err(error),
        }
    }
}

/// The connecting end's handshake over a connection that blocks; its receives give up after `patience` from then on.
pub fn introduce(
    mut socket: &Socket,
    place: Place,
    token: &Token,
    patience: Duration,
) -> io::Result<()> {
    socket.set_read_timeout(Some(patience))?;
    let mut caller = Caller::new(place, token);
    while !caller.advance(&mut socket)? {}
    Ok(())
}

/// Whether the listening end has closed this connection, which it does to the oldest where there are too many.
pub fn was_pushed_out(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe
    )
}
