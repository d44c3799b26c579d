//! The connecting end of a data connection.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use weft_plan::Options;

use super::accept::WELCOME;
use super::reachability;
use super::token::Token;
use crate::system::tcp_socket::{self, new_socket};

/// Connect to a peer's door and present the token; tries again when a crowd of strangers pushed us out.
pub fn enter(
    from: IpAddr,
    to: SocketAddr,
    options: &Options,
    token: &Token,
    patience: Duration,
) -> io::Result<TcpStream> {
    let deadline = Instant::now() + patience;
    loop {
        match try_to_enter(from, to, options, token, patience) {
            Err(error) if was_pushed_out(&error) && Instant::now() < deadline => {}
            other => return other,
        }
    }
}

pub fn was_pushed_out(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe
    )
}

fn try_to_enter(
    from: IpAddr,
    to: SocketAddr,
    options: &Options,
    token: &Token,
    patience: Duration,
) -> io::Result<TcpStream> {
    let socket = new_socket(from)?;
    tcp_socket::apply(&socket, options)?;
    socket.bind(&SocketAddr::new(from, 0).into())?;
    socket
        .connect_timeout(&to.into(), patience)
        .map_err(|error| reachability::explain(error, from, to))?;
    let mut socket = TcpStream::from(socket);
    socket.set_read_timeout(Some(patience))?;
    socket.write_all(token.bytes())?;
    let mut answer = [0];
    socket.read_exact(&mut answer)?;
    if answer == [WELCOME] {
        return Ok(socket);
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidData,
        format!("{to} is not a weft agent of this run"),
    ))
}
