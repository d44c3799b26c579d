//! The serving end: returns or counts what arrives, until the other connection says that the batch is over.

use std::io::{self, Read};
use std::net::UdpSocket;
use std::time::Duration;

use weft_plan::Pattern;

use super::arrivals::{Arrivals, Header};
use super::{Receiver, Udp};
use crate::application::Application;
use crate::evidence::ServingEnd;
use crate::system::clock::now_ns;
use crate::system::socket_option;
use crate::transport::order::Order;
use crate::wire::setup::Setup;

/// What the driving end says when it has sent everything.
pub const DONE: u8 = 0x44;
/// How often a silent end looks whether the other has said so.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// What has not arrived so long after everything else is lost.
const QUIET_NS: u64 = 50_000_000;

/// Serve batches until the driving end says that there are no more.
pub fn serve_all<A: Application>(
    mut link: Udp,
    setup: &Setup,
    evidence: &mut ServingEnd,
    application: &mut A,
) -> io::Result<()> {
    let largest_bytes = setup.largest_bytes();
    let receiver = Receiver::new(setup.step.options.wait);
    let mut orders = link.orders()?;
    let mut memory = vec![0; largest_bytes as usize];
    let mut batch = 0;
    loop {
        let order = Order::await_from(&mut orders, largest_bytes)?;
        evidence.before(order)?;
        if order.is_end() {
            return Ok(());
        }
        receiver.patient(&link.socket, LOOK_EVERY)?;
        batch += 1;
        let arrivals = Arrivals::new(batch, order.messages);
        application.begin(order);
        Order::accept(&mut orders)?;
        match setup.step.pattern {
            Pattern::Pingpong => echo(&mut link, receiver, &mut memory, setup.patience())?,
            _ => {
                let take = |bytes| application.compute(bytes);
                count(
                    &mut link,
                    receiver,
                    &mut memory,
                    arrivals,
                    setup.patience(),
                    take,
                )?;
            }
        }
        evidence.after();
        application.end();
    }
}

/// Return every datagram.
fn echo(
    link: &mut Udp,
    receiver: Receiver,
    memory: &mut [u8],
    patience: Duration,
) -> io::Result<()> {
    let mut silence = Silence::new(patience);
    loop {
        if let Some(length) = receiver.receive(&link.socket, memory, LOOK_EVERY)? {
            link.socket.send(&memory[..length])?;
            silence.is_over();
        } else if is_done(link)? {
            return Ok(());
        } else {
            silence.check()?;
        }
    }
}

/// Count what arrives and tell the driving end.
fn count(
    link: &mut Udp,
    receiver: Receiver,
    memory: &mut [u8],
    mut arrivals: Arrivals,
    patience: Duration,
    mut take: impl FnMut(usize),
) -> io::Result<()> {
    let overrun_before = overrun(&link.socket);
    let mut silence = Silence::new(patience);
    let mut done_ns = None;
    while !arrivals.is_complete() {
        if let Some(length) = receiver.receive(&link.socket, memory, LOOK_EVERY)? {
            let now_ns = now_ns();
            if let Some(header) = Header::read(&memory[..length]) {
                arrivals.note(header, now_ns);
            }
            take(length);
            silence.is_over();
            continue;
        }
        if done_ns.is_none() {
            done_ns = is_done(link)?.then(now_ns);
        }
        match done_ns {
            Some(done_ns) if now_ns() - arrivals.last_ns().max(done_ns) > QUIET_NS => break,
            Some(_) => {}
            None => silence.check()?,
        }
    }
    if done_ns.is_none() {
        link.control.read_exact(&mut [0])?;
    }
    let overrun = overrun(&link.socket).wrapping_sub(overrun_before);
    arrivals.delivery(overrun).tell(&mut link.control)
}

/// Whether the driving end has said that it has sent everything.
fn is_done(link: &mut Udp) -> io::Result<bool> {
    link.control.set_nonblocking(true)?;
    let mut byte = [0];
    let read = link.control.read(&mut byte);
    link.control.set_nonblocking(false)?;
    match read {
        Ok(1) if byte == [DONE] => Ok(true),
        Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
        Ok(_) => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the two ends lost step: the end of a batch is garbled",
        )),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        Err(error) => Err(error),
    }
}

/// Datagrams that the socket has dropped so far for want of room; 0 where the kernel does not say.
fn overrun(socket: &UdpSocket) -> u32 {
    const SK_MEMINFO_DROPS: usize = 8;
    let info = socket_option::get::<[u32; 9]>(socket, libc::SOL_SOCKET, libc::SO_MEMINFO);
    info.map_or(0, |info| info[SK_MEMINFO_DROPS])
}

/// How long nothing has been heard.
struct Silence {
    since_ns: u64,
    patience: Duration,
}

impl Silence {
    fn new(patience: Duration) -> Silence {
        Silence {
            since_ns: now_ns(),
            patience,
        }
    }

    #[inline]
    fn is_over(&mut self) {
        self.since_ns = 0;
    }

    fn check(&mut self) -> io::Result<()> {
        if self.since_ns == 0 {
            self.since_ns = now_ns();
        }
        if Duration::from_nanos(now_ns() - self.since_ns) < self.patience {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the peer has sent nothing for too long",
        ))
    }
}
