//! The thread of a link: one probe at a time, kinds and sizes in turn.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::net::RecvFlags;
use socket2::Socket;

use super::config::{Kind, Link};
use super::datagram::{self, Id, Verdict};
use super::heard::{Heard, OneWay};
use super::lookup::{Change, Lookup};
use super::notes::Notes;
use super::row::Row;
use super::schedule::{Schedule, random};
use crate::listener::connect;
use crate::listener::place::{Place, Purpose};
use crate::listener::token::Token;
use crate::system::clock::{now_ns, time_of_day_ns};
use crate::system::tcp_socket;
use crate::transport::icmp;
use crate::transport::round_trips::Trip;

/// A length and a number.
pub const TCP_HEAD_BYTES: usize = 8;
const SAY_AGAIN: Duration = Duration::from_secs(3600);
const HELLO_EVERY: Duration = Duration::from_secs(3600);
/// Answers to one probe; more, and the peer answers too much.
const MOST_ANSWERS: u32 = 64;

/// Tells a thread to end.
#[derive(Default)]
pub struct Stop(Mutex<bool>, Condvar);

impl Stop {
    pub fn stop(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.1.notify_all();
    }

    /// Sleep; true when the thread is to end.
    fn sleep(&self, time: Duration) -> bool {
        let guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let woken = self
            .1
            .wait_timeout_while(guard, time, |is_over| !*is_over)
            .unwrap_or_else(PoisonError::into_inner);
        *woken.0
    }
}

/// What all links of a site share.
pub struct Site {
    pub id: Id,
    pub token: Token,
    pub notes: Arc<Notes>,
    pub heard: Heard,
}

/// Probe until told to stop.
pub fn run(link: Link, site: &Site, stop: &Stop) {
    let mut schedule = Schedule::new(link.interval_ms, link.turn);
    let mut prober = Prober::new(link, site);
    loop {
        let wait_us = schedule.next_us(time_of_day_ns() / 1000, random());
        if stop.sleep(Duration::from_micros(wait_us as u64)) {
            return;
        }
        prober.look_up();
        prober.probe_next();
    }
}

struct Prober<'a> {
    link: Link,
    site: &'a Site,
    lookup: Lookup,
    /// Kinds that can be probed from here, and the address of which that was judged.
    kinds: Vec<Kind>,
    judged: Option<IpAddr>,
    turn: usize,
    number: u64,
    lost_in_a_row: u32,
    one_way: OneWay,
    udp: Option<(UdpSocket, datagram::Nonce)>,
    tcp: Option<TcpStream>,
    icmp: Option<icmp::Path>,
    said_hello: Option<Instant>,
    said_many: Option<Instant>,
    /// What went wrong last, by kind, so that it is noted once.
    errors: BTreeMap<Kind, String>,
    buffer: Vec<u8>,
}

impl Prober<'_> {
    fn new(link: Link, site: &Site) -> Prober<'_> {
        site.notes.state(link.link, |state| state.from = link.from);
        let largest = link.sizes.iter().max().copied().unwrap_or(0) as usize;
        Prober {
            lookup: Lookup::new(&link.peer),
            kinds: Vec::new(),
            judged: None,
            turn: 0,
            number: 0,
            lost_in_a_row: 0,
            one_way: OneWay::new(site.heard.clone()),
            udp: None,
            tcp: None,
            icmp: None,
            said_hello: None,
            said_many: None,
            errors: BTreeMap::new(),
            buffer: vec![0; largest.max(datagram::LEAST_BYTES)],
            site,
            link,
        }
    }

    fn look_up(&mut self) {
        let Some(change) = self.lookup.advance(self.lost_in_a_row >= 3) else {
            return;
        };
        let (what, text) = match change {
            Change::Address(None, new) => ("address", new.to_string()),
            Change::Address(Some(old), new) => ("address-change", format!("{old} to {new}")),
            Change::NameUnknown => ("name-unknown", self.link.peer.clone()),
            Change::NameKnown => ("name-known", self.link.peer.clone()),
        };
        (self.udp, self.tcp, self.icmp) = (None, None, None);
        let link = self.link.link;
        self.site.notes.event(what, Some(link), None, text);
    }

    fn probe_next(&mut self) {
        let Some(to) = self.lookup.address() else {
            return;
        };
        let number = self.link.link;
        self.site
            .notes
            .state(number, |state| state.address = to.to_string());
        self.refuse_impossible(to);
        if self.kinds.is_empty() || self.link.sizes.is_empty() {
            return;
        }
        let kind = self.kinds[self.turn % self.kinds.len()];
        let size = self.link.sizes[self.turn / self.kinds.len() % self.link.sizes.len()] as usize;
        self.turn += 1;
        self.number += 1;
        self.hello(to);
        let (began, began_us) = (Instant::now(), time_of_day_ns() / 1000);
        let outcome = self.probe(kind, to, size);
        self.note(kind, &outcome);
        let (size, rtt_ns) = match outcome {
            Ok((size, rtt_ns)) => (size, rtt_ns),
            Err(_) => (sent_bytes(kind, size), None),
        };
        self.lost_in_a_row = if rtt_ns.is_some() {
            0
        } else {
            self.lost_in_a_row + 1
        };
        let lost = self.lost_in_a_row;
        if self.one_way.observe(to, lost, began, Instant::now()) {
            let text = "its probes arrive here, ours are lost";
            let notes = &self.site.notes;
            notes.event("one-way", Some(number), None, text);
        }
        self.site.notes.add(Row {
            time_us: began_us,
            link: number,
            kind: kind as u8,
            size_bytes: size as u32,
            rtt_ns,
        });
    }

    /// Leave out what cannot be probed from here, and say so; another address may be of another family.
    fn refuse_impossible(&mut self, to: IpAddr) {
        if self.judged.replace(to) == Some(to) {
            return;
        }
        let mut refused = Vec::new();
        self.kinds = self.link.kinds.clone();
        self.site
            .notes
            .state(self.link.link, |state| state.refused.clear());
        let port = self.link.port;
        self.kinds.retain(|kind| {
            let why = match kind {
                Kind::Icmp => icmp::IcmpSocket::open(to).err().map(|error| {
                    format!("no ping socket (net.ipv4.ping_group_range) and no raw one: {error}")
                }),
                _ if port.is_none() => Some("the peer has no port".to_owned()),
                _ => None,
            };
            refused.extend(why.map(|why| (kind.name(), why)));
            refused.last().is_none_or(|last| last.0 != kind.name())
        });
        for (kind, why) in refused {
            let link = self.link.link;
            let text = format!("{kind}: {why}");
            self.site
                .notes
                .event("kind-refused", Some(link), None, text);
            self.site
                .notes
                .state(link, |state| drop(state.refused.insert(kind, why)));
        }
    }

    /// The bytes that were sent, and the round trip.
    fn probe(&mut self, kind: Kind, to: IpAddr, size: usize) -> io::Result<(usize, Option<u64>)> {
        let within = Duration::from_millis(self.link.timeout_ms);
        let size = sent_bytes(kind, size);
        let there = SocketAddr::new(to, self.link.port.unwrap_or(0));
        let outcome = match kind {
            Kind::Icmp => self.ping(to, size, within),
            Kind::TcpConnect => self.connect(there, within).map(|(ns, _)| Some(ns)),
            Kind::TcpEcho => self.tcp_echo(there, size, within),
            Kind::UdpEcho => self.udp_echo(there, size, within),
        };
        match outcome {
            Ok(rtt_ns) => Ok((size, rtt_ns)),
            Err(error) if is_silence(&error) => Ok((size, None)),
            Err(error) => Err(error),
        }
    }

    fn ping(&mut self, to: IpAddr, size: usize, within: Duration) -> io::Result<Option<u64>> {
        let (from, largest) = (self.from(to), self.buffer.len());
        let mut path = match self.icmp.take() {
            Some(path) => path,
            None => icmp::Path::open(from, to, largest)?,
        };
        path.set_patience(within)?;
        let (start_ns, mut others) = (now_ns(), 0);
        let is_back = path.go(size, self.number as u16, &mut others)?;
        let elapsed_ns = now_ns() - start_ns;
        self.judge_answers(Kind::Icmp, others);
        self.icmp = is_back.then_some(path);
        Ok(is_back.then_some(elapsed_ns))
    }

    fn connect(&self, to: SocketAddr, within: Duration) -> io::Result<(u64, Socket)> {
        let socket = tcp_socket::new_socket(to.ip())?;
        socket.set_tcp_nodelay(true)?;
        if let Some(from) = self.link.from {
            socket.bind(&SocketAddr::new(from, 0).into())?;
        }
        let start_ns = now_ns();
        socket.connect_timeout(&to.into(), within)?;
        Ok((now_ns() - start_ns, socket))
    }

    fn tcp_echo(
        &mut self,
        to: SocketAddr,
        size: usize,
        within: Duration,
    ) -> io::Result<Option<u64>> {
        let mut stream = match self.tcp.take() {
            Some(stream) => stream,
            None => self.admitted(to, within)?,
        };
        stream.set_read_timeout(Some(within))?;
        stream.set_write_timeout(Some(within))?;
        let message = &mut self.buffer[..size];
        message[..4].copy_from_slice(&(size as u32).to_le_bytes());
        message[4..TCP_HEAD_BYTES].copy_from_slice(&(self.number as u32).to_le_bytes());
        let head = [message[4], message[5], message[6], message[7]];
        let start_ns = now_ns();
        stream.write_all(message)?;
        stream.read_exact(message)?;
        let elapsed_ns = now_ns() - start_ns;
        if message[4..TCP_HEAD_BYTES] != head || elapsed_ns > within.as_nanos() as u64 {
            return Ok(None);
        }
        self.tcp = Some(stream);
        Ok(Some(elapsed_ns))
    }

    /// A connection to the peer's responder, which has shown that it has the token.
    fn admitted(&self, to: SocketAddr, within: Duration) -> io::Result<TcpStream> {
        let (_, socket) = self.connect(to, within)?;
        let place = Place::in_pair(Purpose::Pair { connection: 0 });
        connect::introduce(&socket, place, &self.site.token, within)?;
        Ok(socket.into())
    }

    fn udp_echo(
        &mut self,
        to: SocketAddr,
        size: usize,
        within: Duration,
    ) -> io::Result<Option<u64>> {
        let (socket, nonce) = match self.udp.take() {
            Some(known) => known,
            None => self.new_udp(to)?,
        };
        let own = (self.site.id, &self.site.token);
        let message = &mut self.buffer[..size];
        let late = drain(&socket, message);
        message.fill(0);
        datagram::fill(message, datagram::ASK, own, nonce, self.number);
        let start_ns = now_ns();
        socket.send(message)?;
        let mut others = late;
        while others < late + MOST_ANSWERS {
            let left = within.saturating_sub(Duration::from_nanos(now_ns() - start_ns));
            if left.is_zero() {
                break;
            }
            socket.set_read_timeout(Some(left))?;
            let length = socket.recv(message)?;
            let elapsed_ns = now_ns() - start_ns;
            match datagram::judge(&message[..length], datagram::ANSWER, own.0, own.1) {
                Verdict::Ours(n, number) if (n, number, length) == (nonce, self.number, size) => {
                    self.judge_answers(Kind::UdpEcho, others);
                    self.udp = Some((socket, nonce));
                    return Ok(Some(elapsed_ns));
                }
                _ => others += 1,
            }
        }
        self.judge_answers(Kind::UdpEcho, others);
        Ok(None)
    }

    fn new_udp(&self, to: SocketAddr) -> io::Result<(UdpSocket, datagram::Nonce)> {
        let socket = UdpSocket::bind((self.from(to.ip()), 0))?;
        socket.connect(to)?;
        let nonce = crate::listener::token::nonce()?;
        Ok((socket, *nonce.first_chunk().expect("a nonce is longer")))
    }

    fn from(&self, to: IpAddr) -> IpAddr {
        self.link.from.unwrap_or(match to {
            IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        })
    }

    /// Let another watch of the same link notice this one: its responder has the usual port where ours has not.
    fn hello(&mut self, to: IpAddr) {
        let is_due = self.said_hello.is_none_or(|at| at.elapsed() >= HELLO_EVERY);
        if !is_due
            || self
                .link
                .port
                .is_none_or(|port| port == self.link.usual_port)
        {
            return;
        }
        self.said_hello = Some(Instant::now());
        let to = SocketAddr::new(to, self.link.usual_port);
        if let Ok(socket) = UdpSocket::bind((self.from(to.ip()), 0)) {
            let _ = socket.send_to(&datagram::hello(self.site.id), to);
        }
    }

    fn judge_answers(&mut self, kind: Kind, others: u32) {
        let is_due = self.said_many.is_none_or(|at| at.elapsed() >= SAY_AGAIN);
        if others >= MOST_ANSWERS && is_due {
            self.said_many = Some(Instant::now());
            let text = format!("{}: {others} datagrams came back for one", kind.name());
            let link = Some(self.link.link);
            let notes = &self.site.notes;
            notes.event("answers-too-many", link, None, text);
        }
    }

    /// Note an error when it begins, changes and is over.
    fn note(&mut self, kind: Kind, outcome: &io::Result<(usize, Option<u64>)>) {
        match outcome {
            Ok((_, None)) => {}
            Ok((_, Some(_))) => {
                if self.errors.remove(&kind).is_some() {
                    let link = Some(self.link.link);
                    self.site.notes.event("error-over", link, None, kind.name());
                }
            }
            Err(error) => {
                (self.udp, self.tcp, self.icmp) = (None, None, None);
                let text = format!("{}: {error}", kind.name());
                self.once(kind, "error", &text);
            }
        }
    }

    fn once(&mut self, kind: Kind, what: &'static str, text: &str) {
        if self.errors.get(&kind).is_none_or(|known| known != text) {
            self.errors.insert(kind, text.to_owned());
            self.site
                .notes
                .event(what, Some(self.link.link), None, text);
        }
    }
}

/// Take what has come since the last probe, at most a thousand; gives how many there were.
fn drain(socket: &UdpSocket, buffer: &mut [u8]) -> u32 {
    let mut count = 0;
    while count < 1000 && rustix::net::recv(socket, &mut *buffer, RecvFlags::DONTWAIT).is_ok() {
        count += 1;
    }
    count
}

/// The payload that a probe of that size has.
fn sent_bytes(kind: Kind, size: usize) -> usize {
    match kind {
        Kind::Icmp => size,
        Kind::TcpConnect => 0,
        Kind::TcpEcho => size.max(TCP_HEAD_BYTES),
        Kind::UdpEcho => size.max(datagram::LEAST_BYTES),
    }
}

/// Whether nothing came back in time, which is a lost probe and no error.
fn is_silence(error: &io::Error) -> bool {
    use io::ErrorKind::{TimedOut, WouldBlock};
    matches!(error.kind(), TimedOut | WouldBlock)
}
