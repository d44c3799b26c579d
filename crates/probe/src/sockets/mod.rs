//! The sockets that a node's programs open while a job runs: who listens, who connects, and since when.
//!
//! The kernel's socket tables are read at a stated period. Where the kernel's tracepoint may be read too, connections that
//! are shorter than that are seen as well.

mod diag;
mod processes;
mod trace;

use std::collections::{HashMap, HashSet};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use serde::Serialize;

use crate::system::clock::now_ns;
use crate::system::files::{boot, network_namespace, number_pair};
use crate::system::interfaces;
use diag::{Protocol, Socket, State};
use processes::{Process, Processes};
use trace::{Change, Trace};

/// Between two looks at the kernel's tables; without the tracepoint they alone say what there was.
const WITH_TRACE: Duration = Duration::from_millis(20);
const WITHOUT_TRACE: Duration = Duration::from_millis(5);
/// A node with more than this is no node of one job.
const MOST_EVENTS: usize = 200_000;

/// What a socket did, or in which state it was seen first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    Listens,
    /// It began to connect, as the tracepoint says; its own port is not known yet.
    Connects,
    /// It was accepted, as the tracepoint says.
    Accepts,
    /// A connection was seen in the tables; they do not say which end began it.
    IsOpen,
    /// A UDP socket has a port.
    Bound,
}

/// One sighting.
#[derive(Clone, Debug, Serialize)]
pub struct Event {
    /// On CLOCK_MONOTONIC.
    at_ns: u64,
    what: What,
    protocol: Protocol,
    local: SocketAddr,
    remote: Option<SocketAddr>,
    /// 0 where nothing says which process.
    pid: u32,
    /// Whether it was there before the watch.
    was_there: bool,
}

/// What the agent says.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    /// From now on sockets are noticed; `why_not` says why the tracepoint cannot be read, "" where it is.
    Watching { period_ms: u64, why_not: String },
    SocketsSeen {
        boot: String,
        namespace: String,
        addresses: Vec<IpAddr>,
        /// Ports that the kernel gives to sockets that ask for any, first and last.
        any_port: (i64, i64),
        processes: Vec<Process>,
        events: Vec<Event>,
        /// Events that there was no room for.
        left_out: usize,
    },
}

/// A watch over the sockets of this network namespace.
pub struct Watch {
    trace: Result<Trace, String>,
    tables: diag::Tables,
    processes: Processes,
    own: HashSet<IpAddr>,
    seen: HashMap<Seen, Option<usize>>,
    events: Vec<Event>,
    left_out: usize,
}

/// What makes two sightings one.
type Seen = (What, Protocol, SocketAddr, Option<SocketAddr>, u32);

impl Watch {
    /// Begin: what is there already is noted as such.
    pub fn begin() -> io::Result<Watch> {
        let own = interfaces::addresses().into_iter().map(|one| one.ip);
        let mut watch = Watch {
            trace: Trace::open(),
            tables: diag::Tables::open()?,
            processes: Processes::new(),
            own: own.collect(),
            seen: HashMap::new(),
            events: Vec::new(),
            left_out: 0,
        };
        watch.look(true)?;
        Ok(watch)
    }

    pub fn watching(&self) -> Reply {
        Reply::Watching {
            period_ms: self.period().as_millis() as u64,
            why_not: self.trace.as_ref().err().cloned().unwrap_or_default(),
        }
    }

    /// Look until the coordinator says something.
    pub fn watch(&mut self, requests: &Receiver<Vec<u8>>) -> io::Result<()> {
        while requests.try_recv() == Err(TryRecvError::Empty) {
            self.look(false)?;
            std::thread::sleep(self.period());
        }
        self.look(false)
    }

    /// All that was seen.
    pub fn finish(self) -> Reply {
        Reply::SocketsSeen {
            boot: boot(),
            namespace: network_namespace(),
            addresses: self.own.into_iter().collect(),
            any_port: number_pair("/proc/sys/net/ipv4/ip_local_port_range")
                .unwrap_or((32768, 60999)),
            processes: self.processes.all(),
            events: self.events,
            left_out: self.left_out,
        }
    }

    fn period(&self) -> Duration {
        match self.trace {
            Ok(_) => WITH_TRACE,
            Err(_) => WITHOUT_TRACE,
        }
    }

    fn look(&mut self, was_there: bool) -> io::Result<()> {
        let at_ns = now_ns();
        self.processes.look(at_ns);
        let changes = match &mut self.trace {
            Ok(trace) => trace.read(),
            Err(_) => Vec::new(),
        };
        for change in changes {
            self.note_change(&change, was_there);
        }
        let sockets = self.tables.read()?;
        let is_news = |one: &Socket| match self.seen.get(&seen(one)) {
            None => true,
            // A socket that is being accepted has no owner yet.
            Some(Some(at)) => self.events[*at].pid == 0 && one.inode != 0,
            Some(None) => false,
        };
        let news: Vec<_> = sockets.into_iter().filter(is_news).collect();
        if news.is_empty() {
            return Ok(());
        }
        let owners = self.processes.owners();
        for one in news {
            let pid = owners.get(&one.inode).copied().unwrap_or(0);
            self.note_socket(&one, pid, (at_ns, was_there));
        }
        Ok(())
    }

    fn note_socket(&mut self, one: &Socket, pid: u32, (at_ns, was_there): (u64, bool)) {
        let key = seen(one);
        if let Some(Some(at)) = self.seen.get(&key) {
            self.events[*at].pid = pid;
            return;
        }
        let (what, protocol, local, remote, _) = key;
        let event = Event {
            at_ns,
            what,
            protocol,
            local,
            remote,
            pid,
            was_there,
        };
        let at = self.push(event);
        self.seen.insert(key, at);
    }

    /// The tracepoint tells of all network namespaces: what is not of this one is left out. Others may have
    /// the same addresses, loopback's at least.
    fn note_change(&mut self, change: &Change, was_there: bool) {
        let is_own = self.own.contains(&change.local.ip());
        let is_elsewhere = || self.processes.is_elsewhere(change.pid);
        let what = match (change.from.as_str(), change.to.as_str()) {
            ("TCP_CLOSE", "TCP_SYN_SENT") if is_own && !is_elsewhere() => What::Connects,
            ("TCP_SYN_RECV", "TCP_ESTABLISHED") if is_own => What::Accepts,
            ("TCP_CLOSE", "TCP_LISTEN") if self.processes.is_here(change.pid) => What::Listens,
            _ => return,
        };
        let pid = match what {
            What::Accepts => 0,
            _ => self.processes.of_thread(change.pid),
        };
        self.processes.note(pid, &change.name, change.at_ns);
        let remote = (what != What::Listens).then_some(change.remote);
        let event = Event {
            at_ns: change.at_ns,
            what,
            protocol: Protocol::Tcp,
            local: change.local,
            remote,
            pid,
            was_there,
        };
        if what == What::Listens {
            let key = (what, Protocol::Tcp, change.local, None, 0);
            if self.seen.contains_key(&key) {
                return;
            }
            let at = self.push(event);
            self.seen.insert(key, at);
        } else {
            self.push(event);
        }
    }

    fn push(&mut self, event: Event) -> Option<usize> {
        if self.events.len() == MOST_EVENTS {
            self.left_out += 1;
            return None;
        }
        self.events.push(event);
        Some(self.events.len() - 1)
    }
}

/// How a socket of the tables counts. The same port may be listened on again, by another socket: the inode tells, but only
/// of UDP, whose sockets may share one.
fn seen(one: &Socket) -> Seen {
    let what = match (one.protocol, one.state) {
        (Protocol::Udp, _) => What::Bound,
        (Protocol::Tcp, State::Listens) => What::Listens,
        (Protocol::Tcp, State::Other) => What::IsOpen,
    };
    let inode = if what == What::Bound { one.inode } else { 0 };
    let remote = (one.remote.port() != 0).then_some(one.remote);
    (what, one.protocol, one.local, remote, inode)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream, UdpSocket};

    fn events(reply: Reply) -> Vec<Event> {
        match reply {
            Reply::SocketsSeen { events, .. } => events,
            Reply::Watching { .. } => panic!("not over"),
        }
    }

    #[test]
    fn what_this_process_opens_is_seen_with_its_owner() {
        let before = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let mut watch = Watch::begin().expect("a watch");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let place = listener.local_addr().expect("an address");
        let client = TcpStream::connect(place).expect("a connection");
        let _accepted = listener.accept().expect("a connection");
        let datagrams = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        watch.look(false).expect("a look");
        let found = events(watch.finish());
        let of = |what: What, local: SocketAddr| {
            let mut mine = found.iter().filter(|one| {
                (one.what, one.local) == (what, local) && one.pid == std::process::id()
            });
            mine.next().unwrap_or_else(|| panic!("{what:?} {local}"))
        };
        assert!(of(What::Listens, before.local_addr().expect("an address")).was_there);
        assert!(!of(What::Listens, place).was_there);
        let open = of(What::IsOpen, client.local_addr().expect("an address"));
        assert_eq!(open.remote, Some(place));
        of(What::Bound, datagrams.local_addr().expect("an address"));
    }

    #[test]
    fn a_connection_shorter_than_the_period_is_seen() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let place = listener.local_addr().expect("an address");
        let mut watch = Watch::begin().expect("a watch");
        drop(TcpStream::connect(place).expect("a connection"));
        drop(listener.accept().expect("a connection"));
        watch.look(false).expect("a look");
        let traced = watch.trace.is_ok();
        let found = events(watch.finish());
        let it =
            |one: &&Event| one.remote == Some(place) && (!traced || one.what == What::Connects);
        assert!(found.iter().any(|one| it(&one)), "{found:?}");
    }
}
