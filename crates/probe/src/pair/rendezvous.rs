//! Two agents on one node meet at a Unix socket, whose name goes from one to the other over their data connection.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::time::Duration;

use crate::listener::accept::PRESENT_WITHIN;
use crate::listener::token::{TOKEN_BYTES, Token};

const NAME_BYTES: usize = 16;
/// What the guest answers: it has connected, or there is no such name where it is.
const CAME: u8 = 0x43;
const FOUND_NOTHING: u8 = 0x4e;

/// Wait for the other end of `control` at a Unix socket.
pub fn host(control: &mut TcpStream, token: &Token, patience: Duration) -> io::Result<UnixStream> {
    let mut name = [0; NAME_BYTES];
    File::open("/dev/urandom")?.read_exact(&mut name)?;
    let listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(name)?)?;
    listener.set_nonblocking(true)?;
    control.set_read_timeout(Some(patience))?;
    control.write_all(&name)?;
    let mut answer = [0];
    control.read_exact(&mut answer)?;
    if answer != [CAME] {
        return Err(apart());
    }
    // The guest is in the queue, perhaps behind others who found the name in the kernel's table.
    while let Ok((guest, _)) = listener.accept() {
        if let Some(guest) = admitted(guest, token)? {
            return Ok(guest);
        }
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidData,
        "who came to the Unix socket did not present the run's token",
    ))
}

/// Go to the Unix socket at which the other end of `control` waits.
pub fn join(control: &mut TcpStream, token: &Token) -> io::Result<UnixStream> {
    let mut name = [0; NAME_BYTES];
    control.read_exact(&mut name)?;
    let Ok(mut host) = UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?) else {
        control.write_all(&[FOUND_NOTHING])?;
        return Err(apart());
    };
    host.write_all(token.bytes())?;
    control.write_all(&[CAME])?;
    Ok(host)
}

fn admitted(mut guest: UnixStream, token: &Token) -> io::Result<Option<UnixStream>> {
    guest.set_nonblocking(false)?;
    guest.set_read_timeout(Some(PRESENT_WITHIN))?;
    let mut presented = [0; TOKEN_BYTES];
    let is_friend = guest.read_exact(&mut presented).is_ok() && token.matches(&presented);
    guest.set_read_timeout(None)?;
    Ok(is_friend.then_some(guest))
}

fn apart() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        "unix and shm are transports inside one node, and these two ends are on different ones",
    )
}
