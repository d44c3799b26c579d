//! Answers the probes of this watch's other sites: a probe with a proof of the token gets back as many bytes as it has,
//! any other gets nothing.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::datagram::{self, Id, Nonce, Verdict};
use super::heard::Heard;
use super::notes::Notes;
use super::probes::TCP_HEAD_BYTES;
use crate::listener::accept::ADMIT_WITHIN;
use crate::listener::handshake::{Guest, Verdict as Admission};
use crate::listener::refused::Refused;
use crate::listener::token::Token;

const PORTS: u16 = 10;
const MOST_CONNECTIONS: usize = 256;
const MOST_MESSAGE_BYTES: usize = 1 << 20;
/// A connection on which nothing comes for so long is closed.
const IDLE: Duration = Duration::from_secs(3600);
const MOST_NONCES: usize = 4096;
const STACK_BYTES: usize = 128 << 10;

/// Answers until the process ends.
pub struct Responder {
    pub port: u16,
    pub refused: Refused,
    pub heard: Heard,
}

struct Answering {
    id: Id,
    token: Token,
    notes: Arc<Notes>,
    refused: Refused,
    heard: Heard,
    connections: AtomicUsize,
}

impl Responder {
    /// Take the port, or one of those above it.
    pub fn start(port: u16, id: Id, token: &Token, notes: &Arc<Notes>) -> io::Result<Responder> {
        let (listener, socket) = open(port)?;
        let taken = listener.local_addr()?.port();
        if taken != port && port != 0 {
            let text = format!("port {port} is taken, perhaps by another watch: {taken} instead");
            notes.event("port-taken", None, None, text);
        }
        let (refused, heard) = (Refused::default(), Heard::default());
        let answering = Arc::new(Answering {
            id,
            token: token.clone(),
            notes: notes.clone(),
            refused: refused.clone(),
            heard: heard.clone(),
            connections: AtomicUsize::new(0),
        });
        let same = answering.clone();
        spawn(move || same.answer_datagrams(&socket))?;
        spawn(move || accept_all(&answering, &listener))?;
        Ok(Responder {
            port: taken,
            refused,
            heard,
        })
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let builder = thread::Builder::new().stack_size(STACK_BYTES);
    builder.spawn(work).map(drop)
}

/// A port that is free for TCP and UDP, of IPv6 and IPv4 where the kernel has both.
fn open(port: u16) -> io::Result<(TcpListener, UdpSocket)> {
    let any: [IpAddr; 2] = [Ipv6Addr::UNSPECIFIED.into(), Ipv4Addr::UNSPECIFIED.into()];
    let mut outcome = Err(io::ErrorKind::AddrInUse.into());
    for port in port..=port.saturating_add(PORTS - 1) {
        for address in any {
            outcome = TcpListener::bind(SocketAddr::new(address, port)).and_then(|listener| {
                let socket = UdpSocket::bind(listener.local_addr()?)?;
                datagram::drop_strangers(&socket)?;
                Ok((listener, socket))
            });
            if outcome.is_ok() {
                return outcome;
            }
        }
    }
    outcome
}

impl Answering {
    fn answer_datagrams(&self, socket: &UdpSocket) {
        let mut bytes = vec![0; 1 << 16];
        let mut latest: HashMap<Nonce, u64> = HashMap::new();
        let mut watches = HashSet::new();
        loop {
            let Ok((length, from)) = socket.recv_from(&mut bytes) else {
                continue;
            };
            let message = &mut bytes[..length];
            match datagram::judge(message, datagram::ASK, self.id, &self.token) {
                Verdict::Ours(nonce, number) if is_new(&mut latest, nonce, number) => {
                    self.heard.note(from.ip(), Instant::now());
                    let own = (self.id, &self.token);
                    datagram::fill(message, datagram::ANSWER, own, nonce, number);
                    // An answer that does not get through is missed by the asking end.
                    let _ = socket.send_to(message, from);
                }
                Verdict::OtherWatch(id) if watches.len() < 16 && watches.insert(id) => {
                    let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
                    let text = format!("watch {hex} probes this site too, from {}", from.ip());
                    self.notes.event("other-watch", None, None, text);
                }
                _ => self.refused.add(1),
            }
        }
    }

    fn serve(&self, stream: TcpStream) -> io::Result<()> {
        let Some(mut stream) = self.admit(stream)? else {
            return Ok(());
        };
        stream.set_read_timeout(Some(IDLE))?;
        stream.set_write_timeout(Some(IDLE))?;
        stream.set_nodelay(true)?;
        let mut message = vec![0; TCP_HEAD_BYTES];
        loop {
            stream.read_exact(&mut message[..TCP_HEAD_BYTES])?;
            let length = u32::from_le_bytes([message[0], message[1], message[2], message[3]]);
            let length = length as usize;
            if !(TCP_HEAD_BYTES..=MOST_MESSAGE_BYTES).contains(&length) {
                return Ok(());
            }
            message.resize(length.max(message.len()), 0);
            stream.read_exact(&mut message[TCP_HEAD_BYTES..length])?;
            stream.write_all(&message[..length])?;
        }
    }

    /// The connection, where it shows the token in time.
    fn admit(&self, stream: TcpStream) -> io::Result<Option<TcpStream>> {
        stream.set_read_timeout(Some(ADMIT_WITHIN))?;
        let deadline = Instant::now() + ADMIT_WITHIN;
        let mut guest = Guest::challenge(stream)?;
        while Instant::now() < deadline {
            match guest.hear(&self.token) {
                Admission::Undecided => {}
                Admission::Admitted(_) => return guest.welcome(&self.token).map(Some),
                // A probe of the kind tcp-connect ends here, too.
                Admission::Refused => break,
            }
        }
        Ok(None)
    }
}

fn accept_all(answering: &Arc<Answering>, listener: &TcpListener) {
    let is_full = AtomicBool::new(false);
    loop {
        let Ok((stream, _)) = listener.accept() else {
            // Such as too many open files: not in a tight loop.
            thread::sleep(Duration::from_millis(100));
            continue;
        };
        if answering.connections.load(Ordering::Relaxed) >= MOST_CONNECTIONS {
            if !is_full.swap(true, Ordering::Relaxed) {
                let text = format!("{MOST_CONNECTIONS} connections are open: more are closed");
                answering.notes.event("connections-full", None, None, text);
            }
            answering.refused.add(1);
            continue;
        }
        answering.connections.fetch_add(1, Ordering::Relaxed);
        let same = answering.clone();
        let started = spawn(move || {
            let _ = same.serve(stream);
            same.connections.fetch_sub(1, Ordering::Relaxed);
        });
        if started.is_err() {
            answering.connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Whether a probe is newer than all of its sender before: a recorded one is not answered.
fn is_new(latest: &mut HashMap<Nonce, u64>, nonce: Nonce, number: u64) -> bool {
    if latest.len() >= MOST_NONCES && !latest.contains_key(&nonce) {
        latest.clear();
    }
    let known = latest.entry(nonce).or_default();
    let is_new = number > *known;
    *known = number.max(*known);
    is_new
}
