//! Two agents on one node meet at a Unix socket, whose name goes from one to the other over their data connection.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;

use socket2::{Domain, SockAddr, Socket, Type};

use crate::listener::accept::Listener;
use crate::listener::connect::introduce;
use crate::listener::place::{Place, Purpose};
use crate::listener::token::{NONCE_BYTES, nonce};
use crate::wire::setup::Setup;

const BACKLOG: i32 = 128;
/// What the connecting end answers: it has connected, or there is no such name where it is.
const CONNECTED: u8 = 0x43;
const NOT_FOUND: u8 = 0x4e;

/// Wait for the other end of `control` at a Unix socket.
pub fn host(control: &mut TcpStream, setup: &Setup) -> io::Result<UnixStream> {
    let name = nonce()?;
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.bind(&address(&name)?)?;
    socket.listen(BACKLOG)?;
    control.set_read_timeout(Some(setup.patience()))?;
    control.write_all(&name)?;
    let mut answer = [0];
    control.read_exact(&mut answer)?;
    if answer != [CONNECTED] {
        return Err(apart());
    }
    let mut listener = Listener::of(socket, &setup.token, &setup.refused)?;
    let peer = listener.accept(Place::in_pair(Purpose::Local), setup.patience())?;
    listener.close();
    Ok(peer.into())
}

/// Connect to the Unix socket at which the other end of `control` waits.
pub fn join(control: &mut TcpStream, setup: &Setup) -> io::Result<UnixStream> {
    let mut name = [0; NONCE_BYTES];
    control.read_exact(&mut name)?;
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    if socket.connect(&address(&name)?).is_err() {
        control.write_all(&[NOT_FOUND])?;
        return Err(apart());
    }
    control.write_all(&[CONNECTED])?;
    let place = Place::in_pair(Purpose::Local);
    introduce(&socket, place, &setup.token, setup.patience())?;
    socket.set_read_timeout(None)?;
    Ok(socket.into())
}

/// A name in the kernel's table of abstract Unix sockets, which begin with a zero.
fn address(name: &[u8]) -> io::Result<SockAddr> {
    SockAddr::unix(OsStr::from_bytes(&[&[0], name].concat()))
}

fn apart() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        "unix and shm are transports inside one node, and these two ends are on different ones",
    )
}
