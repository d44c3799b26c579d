//! From an admitted connection to the channel that a step's transport asks for.

use std::io;
use std::iter;
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use weft_plan::{Transport, Wait};

use crate::pair::rendezvous;
use crate::pair::settings::Effective;
use crate::pair::watchdog::{Watchdog, Watched};
use crate::system::tcp_socket::set_buffers;
use crate::transport::channel::{Channel, CountedChannel};
use crate::transport::mptcp;
use crate::transport::rings::Rings;
use crate::transport::shm::{self, ShmChannel};
use crate::transport::socket::{self, SocketChannel};
use crate::transport::striped::StripedChannel;
use crate::transport::tcp;
use crate::transport::udp::Udp;
use crate::transport::uring::UringChannel;
use crate::transport::wait::{self, Block, Spin};
use crate::transport::zerocopy::{self, ZeroCopyChannel};
use crate::wire::setup::Setup;

/// Connections that share a message where the plan does not say how many.
const STRIPES: u32 = 4;

/// Which end of a connection this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Serve,
    Drive,
}

/// What is done over a channel, whichever it is.
pub trait Work {
    fn over<C: Channel>(self, channel: C) -> io::Result<()>;

    /// Datagrams are no channel: some may be lost.
    fn over_udp(self, link: Udp, setup: &Setup) -> io::Result<()>;
}

/// A connection to the peer. All but TCP are agreed on over a TCP connection, which stays open as a sign of life.
pub enum Link {
    Tcp(TcpStream),
    ZeroCopy(TcpStream),
    Uring(TcpStream),
    Striped(Vec<TcpStream>),
    Mptcp(TcpStream, TcpStream, mptcp::Entrances),
    Udp(Udp),
    Unix(TcpStream, UnixStream),
    Shm(TcpStream, Rings, End),
}

impl Link {
    /// Agree on the step's transport with the other end of an admitted connection; `another` admits one more, given its
    /// number.
    pub fn establish(
        end: End,
        mut control: TcpStream,
        setup: &Setup,
        another: impl FnMut(u32) -> io::Result<TcpStream>,
    ) -> io::Result<Link> {
        match setup.step.transport {
            Transport::Udp => Udp::establish(control, setup).map(Link::Udp),
            Transport::Unix => {
                let socket = meet(end, &mut control, setup)?;
                set_buffers(&(&socket).into(), &setup.step.options)?;
                Ok(Link::Unix(control, socket))
            }
            Transport::Shm => {
                let socket = meet(end, &mut control, setup)?;
                let rings = match end {
                    End::Serve => shm::share(&socket)?,
                    End::Drive => shm::take(&socket)?,
                };
                Ok(Link::Shm(control, rings, end))
            }
            Transport::Tcp => Ok(Link::Tcp(control)),
            Transport::TcpBusyPoll => {
                tcp::busy_poll(&(&control).into(), setup.step.options.busy_poll_ns)?;
                Ok(Link::Tcp(control))
            }
            Transport::TcpZerocopy => {
                zerocopy::enable(&control)?;
                Ok(Link::ZeroCopy(control))
            }
            Transport::TcpUring => Ok(Link::Uring(control)),
            Transport::TcpStriped => {
                let stripes = setup.step.options.stripes.unwrap_or(STRIPES);
                let others = (1..stripes).map(another);
                let stripes = iter::once(Ok(control)).chain(others);
                stripes.collect::<io::Result<_>>().map(Link::Striped)
            }
            Transport::Mptcp => {
                let (socket, entrances) = match end {
                    End::Serve => mptcp::host(&mut control, setup)?,
                    End::Drive => (mptcp::join(&mut control, setup)?, Vec::new()),
                };
                Ok(Link::Mptcp(control, socket, entrances))
            }
            Transport::Mpi | Transport::Icmp | Transport::Null => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "agents carry no messages over this transport",
            )),
        }
    }

    pub fn effective(&self) -> io::Result<Effective> {
        Ok(match self {
            Link::Tcp(socket) | Link::ZeroCopy(socket) | Link::Uring(socket) => {
                Effective::Tcp(tcp::effective(socket)?)
            }
            Link::Striped(sockets) => Effective::Tcp(tcp::effective(&sockets[0])?),
            Link::Mptcp(_, socket, _) => Effective::Mptcp(mptcp::effective(socket)?),
            Link::Udp(link) => Effective::Buffers(socket::buffers(&(&link.socket).into())?),
            Link::Unix(_, socket) => Effective::Buffers(socket::buffers(&socket.into())?),
            Link::Shm(..) => Effective::Shm {},
        })
    }

    /// The connections that carry messages, once more, where TCP does. Of Multipath TCP the kernel tells of one path only.
    pub fn connections(&self) -> io::Result<Vec<TcpStream>> {
        match self {
            Link::Tcp(socket) | Link::ZeroCopy(socket) | Link::Uring(socket) => {
                Ok(vec![socket.try_clone()?])
            }
            Link::Striped(sockets) => sockets.iter().map(TcpStream::try_clone).collect(),
            Link::Mptcp(..) | Link::Udp(_) | Link::Unix(..) | Link::Shm(..) => Ok(Vec::new()),
        }
    }

    /// Do the work over this link, under the eyes of a watchdog.
    pub fn carry(self, setup: &Setup, work: impl Work) -> io::Result<()> {
        match setup.step.options.wait {
            Wait::Spin => self.carry_waiting::<Spin>(setup, work),
            Wait::Block | Wait::Auto => self.carry_waiting::<Block>(setup, work),
        }
    }

    fn carry_waiting<W: wait::Wait>(self, setup: &Setup, work: impl Work) -> io::Result<()> {
        let patience = setup.patience();
        match self {
            // Its loops look at the clock themselves, since what is lost never comes.
            Link::Udp(link) => work.over_udp(link, setup),
            Link::Tcp(socket) => {
                let watched = patient_clone(&socket)?;
                run_with_watchdog(watched, patience, work, SocketChannel::<W>::new(socket))
            }
            Link::ZeroCopy(socket) => {
                let watched = patient_clone(&socket)?;
                run_with_watchdog(watched, patience, work, ZeroCopyChannel::<W>::new(socket)?)
            }
            Link::Uring(socket) => {
                let watched = patient_clone(&socket)?;
                run_with_watchdog(watched, patience, work, UringChannel::<W>::new(socket)?)
            }
            Link::Striped(sockets) => {
                let watched = sockets.iter().map(patient_clone);
                let watched: Vec<_> = watched.collect::<io::Result<_>>()?;
                run_with_watchdog(watched, patience, work, StripedChannel::<W>::new(sockets))
            }
            Link::Mptcp(control, socket, _entrances) => {
                let other = socket.try_clone()?;
                let cut = move || drop(other.shutdown(Shutdown::Both));
                let channel = SocketChannel::<W>::new(socket);
                run_counted(control, patience, cut, work, channel)
            }
            Link::Unix(control, socket) => {
                let other = socket.try_clone()?;
                let cut = move || drop(other.shutdown(Shutdown::Both));
                let channel = SocketChannel::<W>::new(socket);
                run_counted(control, patience, cut, work, channel)
            }
            Link::Shm(control, rings, end) => {
                let flag = Arc::new(AtomicBool::new(false));
                let channel = ShmChannel::<W>::new(rings, end == End::Serve, flag.clone());
                let cut = move || flag.store(true, Ordering::Release);
                run_counted(control, patience, cut, work, channel)
            }
        }
    }
}

fn meet(end: End, control: &mut TcpStream, setup: &Setup) -> io::Result<UnixStream> {
    match end {
        End::Serve => rendezvous::host(control, setup),
        End::Drive => rendezvous::join(control, setup),
    }
}

/// Do the work over a channel that the kernel counts nothing for.
fn run_counted<C: Channel>(
    control: TcpStream,
    patience: Duration,
    cut: impl Fn() + Send + 'static,
    work: impl Work,
    channel: C,
) -> io::Result<()> {
    let moved = Arc::new(AtomicU64::new(0));
    control.set_nonblocking(true)?;
    let beside = Beside {
        control,
        moved: moved.clone(),
        cut,
    };
    run_with_watchdog(beside, patience, work, CountedChannel::new(channel, moved))
}

/// The same connection for a watchdog; from now on it waits without a limit.
fn patient_clone(socket: &TcpStream) -> io::Result<TcpStream> {
    socket.set_read_timeout(None)?;
    socket.try_clone()
}

/// Do the work while a watchdog runs.
fn run_with_watchdog(
    watched: impl Watched,
    patience: Duration,
    work: impl Work,
    channel: impl Channel,
) -> io::Result<()> {
    let watchdog = Watchdog::watch(watched, patience)?;
    let outcome = work.over(channel);
    outcome.map_err(|error| watchdog.explain(error))
}

/// What a channel counts itself, and the connection beside it, which ends with the peer.
struct Beside<F> {
    control: TcpStream,
    moved: Arc<AtomicU64>,
    cut: F,
}

impl<F: Fn() + Send + 'static> Watched for Beside<F> {
    fn moved(&self) -> u64 {
        self.moved.load(Ordering::Relaxed)
    }

    fn has_ended(&self) -> bool {
        match self.control.peek(&mut [0]) {
            Ok(count) => count == 0,
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        }
    }

    fn cut(&self) {
        (self.cut)();
    }
}
