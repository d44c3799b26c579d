//! A node of a cast: opens its file and its listeners, then does what the coordinator says until the cast is over.

use std::io;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::board::Board;
use super::layout::Layout;
use super::message::{Job, Next, Opening, Reply};
use super::shared::{Shared, Sockets, Store, start};
use super::source::Source;
use super::target::Target;
use super::{disk, forward, receive};
use crate::listener::accept::Listener;
use crate::listener::refused::Refused;

/// Look at what is there, and change nothing.
pub fn look(job: &Job) -> io::Result<Reply> {
    let size_bytes = match job.is_source {
        true => Source::open(&job.path)?.size_bytes(),
        false => {
            Target::check(job)?;
            job.size_bytes
        }
    };
    Ok(Reply::Looked { size_bytes })
}

/// A node that takes part.
pub struct Node {
    shared: Arc<Shared>,
    events: Receiver<Reply>,
    refused: Refused,
    has_begun: bool,
}

impl Node {
    pub fn open(opening: Opening) -> io::Result<Node> {
        let job = &opening.job;
        let layout = Layout {
            size_bytes: job.size_bytes,
            chunk_bytes: job.chunk_bytes,
        };
        let refused = Refused::default();
        let (says, events) = channel();
        let shared = Arc::new(Shared {
            board: Board::new(layout, job.is_source, opening.epoch_ns),
            store: open_store(job)?,
            node: opening.node,
            listeners: listen(&opening, &refused)?,
            addresses: opening.addresses,
            options: opening.options,
            token: opening.token,
            patience: Duration::from_millis(opening.patience_ms.max(1)),
            compress: job.compress.filter(|_| job.is_source),
            events: says,
            incoming: Sockets::default(),
            outgoing: Sockets::default(),
        });
        if !job.is_source {
            start(&shared, |shared| disk::look(&shared))?;
            start(&shared, |shared| disk::write_all(&shared))?;
        }
        Ok(Node {
            shared,
            events,
            refused,
            has_begun: false,
        })
    }

    pub fn opened(&self) -> io::Result<Reply> {
        let port = |one: &Mutex<Listener>| one.lock().expect("no thread panics").port();
        let ports = self.shared.listeners.iter().map(port);
        Ok(Reply::Opened {
            ports: ports.collect::<io::Result<_>>()?,
        })
    }

    /// What has happened since this was asked last.
    pub fn events(&self) -> impl Iterator<Item = Reply> {
        self.events.try_iter()
    }

    pub fn alive(&self) -> Reply {
        Reply::Alive {
            spent: self.shared.board.spent(),
        }
    }

    /// Do what the coordinator says; the last reply where it is over.
    pub fn follow(&mut self, next: Next) -> io::Result<Option<Reply>> {
        match next {
            Next::Accept { generation, from } => {
                receive::accept(&self.shared, generation, from)?;
            }
            Next::Connect { generation, peers } => {
                forward::connect_to(&self.shared, generation, &peers)?;
                self.begin()?;
            }
            Next::Over { is_good } => return self.end(is_good).map(Some),
        }
        Ok(None)
    }

    /// The source reads once it knows where to send.
    fn begin(&mut self) -> io::Result<()> {
        let is_source = matches!(self.shared.store, Store::Source(_));
        if is_source && !std::mem::replace(&mut self.has_begun, true) {
            start(&self.shared, |shared| disk::read_all(&shared))?;
        }
        Ok(())
    }

    fn end(&self, is_good: bool) -> io::Result<Reply> {
        let spent = self.shared.board.spent();
        self.stop();
        let has_changed = match &self.shared.store {
            Store::Source(source) => source.check_unchanged().is_err(),
            Store::Target(target) if is_good => target.settle().map(|()| false)?,
            Store::Target(_) => false,
        };
        Ok(Reply::Done {
            spent,
            rejected: self.refused.count(),
            has_changed,
        })
    }

    fn stop(&self) {
        self.shared.board.end();
        self.shared.incoming.shut();
        self.shared.outgoing.shut();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.stop();
    }
}

fn open_store(job: &Job) -> io::Result<Store> {
    if !job.is_source {
        return Target::open(job).map(Store::Target);
    }
    let source = Source::open(&job.path)?;
    match source.size_bytes() == job.size_bytes {
        true => Ok(Store::Source(source)),
        false => Err(source.has_changed()),
    }
}

/// A listener at each of the node's addresses.
fn listen(opening: &Opening, refused: &Refused) -> io::Result<Vec<Mutex<Listener>>> {
    let open = |address| {
        let ticket = (&opening.token, refused);
        Listener::open(address, opening.ports, &opening.options, ticket).map(Mutex::new)
    };
    opening.addresses.iter().copied().map(open).collect()
}
