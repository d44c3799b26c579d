//! UDP: datagrams, of which some may be lost, duplicated or reordered; that is counted, not hidden.
//!
//! The two ends agree on each batch over the TCP connection on which they met; only messages are datagrams.

mod arrivals;
mod pace;
mod pingpong;
mod serve;
mod stream;

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, UdpSocket};
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use socket2::SockRef;
use weft_plan::{Pattern, Rate, Wait};

use crate::system::tcp_socket::set_buffers;
use crate::transport::batches::{Batches, Outcome};
use crate::transport::order::{END, Order};
use crate::transport::round_trips::Trips;
use crate::transport::socket::SocketChannel;
use crate::transport::wait::Block;
use crate::wire::setup::Setup;

pub use serve::serve_all;

/// Asked for where the plan does not say; the kernel gives as much of it as its limits allow.
const RECEIVE_BUFFER_BYTES: usize = 4 << 20;
/// Looks at a socket between two looks at the clock.
const TRIES_PER_LOOK: u32 = 64;

/// The two connections between the ends.
pub struct Udp {
    pub control: TcpStream,
    pub socket: UdpSocket,
}

impl Udp {
    /// Tell each other the ports, and take datagrams from the peer only from then on.
    pub fn establish(mut control: TcpStream, setup: &Setup) -> io::Result<Udp> {
        let socket = bind(setup)?;
        let buffers = SockRef::from(&socket);
        buffers.set_recv_buffer_size(RECEIVE_BUFFER_BYTES)?;
        set_buffers(&buffers, &setup.step.options)?;
        control.set_read_timeout(Some(setup.patience()))?;
        control.write_all(&socket.local_addr()?.port().to_le_bytes())?;
        let mut port = [0; 2];
        control.read_exact(&mut port)?;
        let peer: IpAddr = control.peer_addr()?.ip();
        socket.connect(SocketAddr::new(peer, u16::from_le_bytes(port)))?;
        setup.refused.add(drop_queue(&socket));
        Ok(Udp { control, socket })
    }

    /// The control connection as orders travel over it.
    fn orders(&self) -> io::Result<SocketChannel<Block>> {
        Ok(SocketChannel::new(self.control.try_clone()?))
    }
}

/// The driving end: one batch after the other, each announced, sent and accounted for.
pub struct UdpBatches<'a> {
    link: Udp,
    orders: SocketChannel<Block>,
    setup: &'a Setup,
    receiver: Receiver,
    memory: Vec<u8>,
    /// Time between two messages of a stream; 0 is as fast as the socket takes them.
    gap_ns: u64,
    trips: Trips,
    number: u32,
}

impl<'a> UdpBatches<'a> {
    pub fn new(link: Udp, setup: &'a Setup, largest_bytes: u64) -> io::Result<Self> {
        Ok(UdpBatches {
            orders: link.orders()?,
            receiver: Receiver::new(setup.step.options.wait),
            memory: vec![0x5a; largest_bytes as usize],
            gap_ns: 0,
            trips: Trips::new(setup.patience()),
            number: 0,
            link,
            setup,
        })
    }
}

impl Batches for UdpBatches<'_> {
    /// A few messages show what one takes: where frames are filled better, a larger one takes hardly longer.
    fn begin_phase(&mut self, size_bytes: u64) -> io::Result<Option<u64>> {
        self.gap_ns = 0;
        let Pattern::Stream { .. } = self.setup.step.pattern else {
            return Ok(None);
        };
        let (gap_ns, message_ns) = match self.setup.step.options.rate {
            None => (0, self.few_ns(size_bytes)? as u64),
            Some(Rate::BitsPerS(rate)) => {
                let gap_ns = pace::gap_ns(size_bytes, rate as f64);
                (gap_ns, gap_ns.max(self.few_ns(size_bytes)? as u64))
            }
            Some(Rate::Percent(share)) => {
                let fastest_ns = self.fastest_ns(size_bytes)?;
                let gap_ns = (fastest_ns * 100.0 / f64::from(share)) as u64;
                (gap_ns, gap_ns)
            }
        };
        self.gap_ns = gap_ns;
        Ok(Some(message_ns))
    }

    fn batch(&mut self, order: Order) -> io::Result<Outcome> {
        self.number += 1;
        order.announce(&mut self.orders)?;
        match self.setup.step.pattern {
            Pattern::Pingpong => self.pingpong(order),
            _ => self.stream(order),
        }
    }

    fn end(&mut self) -> io::Result<()> {
        self.link.control.write_all(&END)
    }
}

/// How an end waits for datagrams.
#[derive(Clone, Copy)]
pub struct Receiver {
    spins: bool,
}

impl Receiver {
    pub fn new(wait: Wait) -> Receiver {
        Receiver {
            spins: wait == Wait::Spin,
        }
    }

    /// Have `receive` give up after so long.
    pub fn patient(self, socket: &UdpSocket, within: Duration) -> io::Result<()> {
        socket.set_read_timeout(Some(within))
    }

    /// The length of the next datagram, or `None` when there was none within the socket's time-out.
    #[inline]
    pub fn receive(
        self,
        socket: &UdpSocket,
        bytes: &mut [u8],
        within: Duration,
    ) -> io::Result<Option<usize>> {
        if self.spins {
            let deadline_ns = crate::system::clock::now_ns() + within.as_nanos() as u64;
            loop {
                for _ in 0..TRIES_PER_LOOK {
                    match receive(socket, bytes, RecvFlags::DONTWAIT)? {
                        None => std::hint::spin_loop(),
                        some => return Ok(some),
                    }
                }
                if crate::system::clock::now_ns() > deadline_ns {
                    return Ok(None);
                }
            }
        }
        receive(socket, bytes, RecvFlags::empty())
    }
}

#[inline]
fn receive(socket: &UdpSocket, bytes: &mut [u8], flags: RecvFlags) -> io::Result<Option<usize>> {
    match recv(socket.as_fd(), bytes, flags) {
        Ok((count, _)) => Ok(Some(count)),
        Err(Errno::AGAIN | Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A socket on one of the ports that data may come in on.
fn bind(setup: &Setup) -> io::Result<UdpSocket> {
    let at = |port| UdpSocket::bind(SocketAddr::new(setup.address, port));
    let Some(range) = setup.ports else {
        return at(0);
    };
    let free = (range.0..=range.1).find_map(|port| at(port).ok());
    free.ok_or_else(|| {
        let message = format!("no UDP port of {range} is free on {}", setup.address);
        io::Error::new(io::ErrorKind::AddrInUse, message)
    })
}

/// Discard what came before the socket was limited to its peer; gives the number of datagrams.
fn drop_queue(socket: &UdpSocket) -> usize {
    std::iter::from_fn(|| recv(socket.as_fd(), &mut [0; 1], RecvFlags::DONTWAIT).ok()).count()
}

/// The other end, in words.
fn peer(socket: &UdpSocket) -> String {
    match socket.peer_addr() {
        Ok(peer) => format!("UDP port {} of {}", peer.port(), peer.ip()),
        Err(_) => "the peer's UDP port".to_owned(),
    }
}
