//! The link from the predecessor: a thread for each network takes in chunks, another one answers.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::chunk::{Chunk, Form, HEADER_BYTES};
use super::greeting;
use super::hop::Answer;
use super::message::{Reply, Side};
use super::shared::{Shared, Store, start};
use crate::listener::place::{Place, Purpose};

/// How soon a thread that waits for a connection notices that another link is wanted.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Take a link from a predecessor, over all networks.
pub fn accept(shared: &Arc<Shared>, generation: u32, from: u32) -> io::Result<()> {
    shared.incoming.shut();
    shared.board.expect(generation);
    for network in 0..shared.listeners.len() {
        start(shared, move |shared| {
            let link = Link {
                shared: &shared,
                generation,
                from,
                network,
            };
            link.run();
        })?;
    }
    Ok(())
}

struct Link<'a> {
    shared: &'a Arc<Shared>,
    generation: u32,
    from: u32,
    network: usize,
}

impl Link<'_> {
    fn run(&self) {
        match self.wait_for_connection() {
            Ok(None) => {}
            Ok(Some(socket)) => self.broke(self.receive(&socket)),
            Err(error) => self.broke(Err(error)),
        }
    }

    fn is_wanted(&self) -> bool {
        self.shared.board.expects(self.generation)
    }

    /// A link that is an old one may break.
    fn broke(&self, end: io::Result<()>) {
        if let (Err(error), true) = (end, self.is_wanted()) {
            self.shared.say(Reply::Broken {
                generation: self.generation,
                side: Side::Predecessor,
                network: self.network as u32,
                reason: error.to_string(),
            });
        }
    }

    fn wait_for_connection(&self) -> io::Result<Option<TcpStream>> {
        let place = Place {
            node: self.from,
            network: self.network as u32,
            purpose: Purpose::Cast {
                generation: self.generation,
            },
        };
        let deadline = Instant::now() + self.shared.patience;
        while self.is_wanted() {
            let listener = &self.shared.listeners[self.network];
            let came = listener
                .lock()
                .expect("no thread panics")
                .accept(place, LOOK_EVERY);
            match came {
                Err(error)
                    if error.kind() == io::ErrorKind::TimedOut && Instant::now() < deadline => {}
                came => {
                    let socket = TcpStream::from(came?);
                    self.shared.incoming.add(&socket)?;
                    return Ok(Some(socket));
                }
            }
        }
        Ok(None)
    }

    fn receive(&self, socket: &TcpStream) -> io::Result<()> {
        let (answers, to_say) = channel();
        let Some(said) = self.shared.board.greeting(self.generation, answers.clone()) else {
            return Ok(());
        };
        let mut output = socket.try_clone()?;
        output.write_all(&greeting::encode(&said))?;
        thread::Builder::new()
            .stack_size(128 << 10)
            .spawn(move || answer(&mut output, &to_say))?;
        while self.is_wanted() {
            self.take_chunk(socket, &answers)?;
        }
        Ok(())
    }

    fn take_chunk(&self, mut socket: &TcpStream, answers: &Sender<Answer>) -> io::Result<()> {
        let (times, layout) = (&self.shared.board.times, &self.shared.board.layout);
        let mut header = [0; HEADER_BYTES];
        let began = Instant::now();
        socket.read_exact(&mut header)?;
        // The end of the cast is not waited for.
        times.wait.add(began.elapsed().as_nanos() as u64);
        let (mut chunk, length) = Chunk::announced(&header, layout)?;
        times.receive.time(|| chunk.read(&mut socket, length))?;
        times.received[self.network].add((HEADER_BYTES + length) as u64);
        let index = chunk.index;
        let answer = match self.take_in(chunk) {
            true => Answer::Has(index),
            false => Answer::Wants(index),
        };
        // The other end is told by whatever comes next, if this thread's is gone.
        let _ = answers.send(answer);
        Ok(())
    }

    /// False where the bytes are not what they should be.
    fn take_in(&self, chunk: Chunk) -> bool {
        let (board, layout) = (&self.shared.board, &self.shared.board.layout);
        if chunk.form == Form::Held {
            return self.confirm(chunk);
        }
        let is_right = chunk
            .bytes(layout)
            .is_ok_and(|bytes| layout.digest(chunk.index, &bytes) == chunk.digest);
        if !is_right {
            board.times.damaged.add(1);
            return false;
        }
        board.insert(chunk, self.generation);
        true
    }

    /// What is held here is the chunk.
    fn confirm(&self, chunk: Chunk) -> bool {
        let (board, layout) = (&self.shared.board, &self.shared.board.layout);
        let Store::Target(target) = &self.shared.store else {
            return false;
        };
        let Some(bytes) = target.held(layout, chunk.index) else {
            return false;
        };
        if layout.digest(chunk.index, &bytes) != chunk.digest {
            return false;
        }
        match target.is_held_in_place() {
            true => board.confirm(chunk.index, chunk.digest),
            false => {
                board.times.held_bytes.add(bytes.len() as u64);
                let whole = Chunk::of(chunk.index, chunk.digest, bytes, None);
                board.insert(whole, self.generation);
            }
        }
        true
    }
}

/// Several answers go together where there are several.
fn answer(output: &mut TcpStream, to_say: &Receiver<Answer>) {
    while let Ok(first) = to_say.recv() {
        let all: Vec<u8> = std::iter::once(first)
            .chain(to_say.try_iter())
            .flat_map(greeting::encode_answer)
            .collect();
        if output.write_all(&all).is_err() {
            return;
        }
    }
}
