//! The link to the successor: a thread for each network sends chunks, another one hears what came of them.

use std::io::{self, IoSlice, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread;

use super::board::Job;
use super::chunk::Chunk;
use super::greeting;
use super::hop::Hop;
use super::layout::Digest;
use super::message::{Reply, Side};
use super::shared::{Shared, Store, start};
use crate::listener::connect::connect;
use crate::listener::place::{Place, Purpose};
use crate::system::socket_option;

/// How many chunks the kernel may hold of a connection and has not sent: more would be stuck on one network while the
/// other is idle, at each hop.
const UNSENT_CHUNKS: u64 = 2;

/// Send to a successor from now on, over all networks; to none where there are no addresses.
pub fn connect_to(shared: &Arc<Shared>, generation: u32, peers: &[SocketAddr]) -> io::Result<()> {
    shared.outgoing.shut();
    let hop = (!peers.is_empty()).then(|| Hop::new(generation, peers.len()));
    shared.board.connect(hop);
    for (network, to) in peers.iter().copied().enumerate() {
        start(shared, move |shared| {
            let link = Link {
                shared: &shared,
                generation,
                network,
            };
            link.run(to);
        })?;
    }
    Ok(())
}

struct Link<'a> {
    shared: &'a Arc<Shared>,
    generation: u32,
    network: usize,
}

impl Link<'_> {
    fn run(&self, to: SocketAddr) {
        match self.connect(to) {
            Ok(socket) => {
                let end = self.send_all(&socket);
                self.shared.board.broke(self.generation, self.network);
                self.broke(end);
            }
            Err(error) => self.broke(Err(error)),
        }
    }

    /// A link that is an old one may break.
    fn broke(&self, end: io::Result<()>) {
        if let (Err(error), true) = (end, self.shared.board.sends(self.generation)) {
            self.shared.say(Reply::Broken {
                generation: self.generation,
                side: Side::Successor,
                network: self.network as u32,
                reason: error.to_string(),
            });
        }
    }

    fn connect(&self, to: SocketAddr) -> io::Result<TcpStream> {
        let shared = self.shared;
        let place = Place {
            node: shared.node,
            network: self.network as u32,
            purpose: Purpose::Cast {
                generation: self.generation,
            },
        };
        let from = shared.addresses[self.network];
        let ticket = (place, &shared.token);
        let socket = connect(from, to, &shared.options, ticket, shared.patience)?;
        socket.set_read_timeout(None)?;
        let unsent = (UNSENT_CHUNKS * shared.board.layout.chunk_bytes).try_into();
        let option = (libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT);
        socket_option::set(
            &socket,
            option.0,
            option.1,
            unsent.unwrap_or(libc::c_int::MAX),
        )?;
        shared.outgoing.add(&socket)?;
        Ok(socket)
    }

    fn send_all(&self, socket: &TcpStream) -> io::Result<()> {
        let board = &self.shared.board;
        let mut input = socket.try_clone()?;
        let said = greeting::read(&mut input, &board.layout)?;
        board.greeted(self.generation, &said);
        let (shared, generation) = (self.shared.clone(), self.generation);
        let network = self.network;
        thread::Builder::new()
            .stack_size(128 << 10)
            .spawn(move || hear(&shared, (generation, network), &mut input))?;
        while let Some(job) = board.next_to_send(self.generation, self.network) {
            match job {
                Job::Chunk(chunk) => self.send(socket, &chunk)?,
                Job::Read(index, digest) => {
                    if let Some(chunk) = self.read(index, digest) {
                        self.send(socket, &chunk)?;
                    }
                }
            }
        }
        // Either the link is an old one, or the successor has closed this connection.
        Err(io::ErrorKind::ConnectionAborted.into())
    }

    fn send(&self, mut socket: &TcpStream, chunk: &Chunk) -> io::Result<()> {
        let times = &self.shared.board.times;
        let header = chunk.header();
        times.forward.time(|| {
            let mut parts = [IoSlice::new(&header), IoSlice::new(&chunk.payload)];
            let mut left = &mut parts[..];
            while !left.is_empty() {
                match socket.write_vectored(left) {
                    Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                    Ok(count) => IoSlice::advance_slices(&mut left, count),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        })?;
        times.sent[self.network].add((header.len() + chunk.payload.len()) as u64);
        Ok(())
    }

    /// A chunk that has left memory.
    fn read(&self, index: u32, digest: Digest) -> Option<Chunk> {
        let (board, layout) = (&self.shared.board, &self.shared.board.layout);
        let read = board
            .times
            .read
            .time(|| self.shared.store.read(layout, index));
        match (read, &self.shared.store) {
            (Ok(bytes), _) if layout.digest(index, &bytes) == digest => {
                Some(Chunk::of(index, digest, bytes, self.shared.compress))
            }
            (read, Store::Source(source)) => {
                let error = read.err().unwrap_or_else(|| source.has_changed());
                self.shared.fail(&error);
                None
            }
            (_, Store::Target(_)) => {
                board.lost(self.generation, index);
                None
            }
        }
    }
}

/// Until the connection ends, which its sender notices too.
fn hear(shared: &Shared, (generation, network): (u32, usize), input: &mut TcpStream) {
    let board = &shared.board;
    while let Ok(answer) = greeting::read_answer(input, &board.layout) {
        board.answered(generation, answer);
    }
    // A sender that has nothing to send would not notice.
    board.hung_up(generation, network);
}
