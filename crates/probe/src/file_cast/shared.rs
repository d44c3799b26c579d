//! What all threads of a node have.

use std::io;
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use weft_plan::{Compression, Options};

use super::board::Board;
use super::layout::Layout;
use super::message::Reply;
use super::source::Source;
use super::target::Target;
use crate::listener::accept::Listener;
use crate::listener::token::Token;

/// Threads keep little on their stacks.
const STACK_BYTES: usize = 256 << 10;

/// The file on this node.
pub enum Store {
    Source(Source),
    Target(Target),
}

impl Store {
    pub fn read(&self, layout: &Layout, chunk: u32) -> io::Result<Vec<u8>> {
        match self {
            Store::Source(source) => source.read(layout, chunk),
            Store::Target(target) => target.read(layout, chunk),
        }
    }
}

/// A node of a cast, as its threads see it.
pub struct Shared {
    pub board: Board,
    pub store: Store,
    pub node: u32,
    pub addresses: Vec<IpAddr>,
    pub listeners: Vec<Mutex<Listener>>,
    pub options: Options,
    pub token: Token,
    pub patience: Duration,
    pub compress: Option<Compression>,
    /// To the coordinator.
    pub events: Sender<Reply>,
    pub incoming: Sockets,
    pub outgoing: Sockets,
}

impl Shared {
    pub fn say(&self, event: Reply) {
        // The end of the cast may come first.
        let _ = self.events.send(event);
    }

    /// Say, once, that the file cannot be read or written.
    pub fn fail(&self, error: &io::Error) {
        if self.board.fail() {
            self.say(Reply::Failed {
                message: error.to_string(),
            });
        }
    }
}

/// Start a thread that shares the node.
pub fn start(
    shared: &Arc<Shared>,
    work: impl FnOnce(Arc<Shared>) + Send + 'static,
) -> io::Result<()> {
    let shared = shared.clone();
    let thread = thread::Builder::new().stack_size(STACK_BYTES);
    thread.spawn(move || work(shared)).map(drop)
}

/// The connections of a link, so that threads that wait on them can be stopped.
#[derive(Default)]
pub struct Sockets(Mutex<Vec<TcpStream>>);

impl Sockets {
    pub fn add(&self, socket: &TcpStream) -> io::Result<()> {
        let mut sockets = self.0.lock().expect("no thread panics");
        sockets.push(socket.try_clone()?);
        Ok(())
    }

    /// End all, and whatever waits on them.
    pub fn shut(&self) {
        for socket in self.0.lock().expect("no thread panics").drain(..) {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}
