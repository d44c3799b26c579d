//! The process on each node: it writes and reads, again and again.

use weft_plan::Grain;

/// What two processes do with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    pub message_bytes: u64,
    /// What comes back before the next message; 0 is a stream without answers.
    pub answer_bytes: u64,
    /// Whether small segments go at once (TCP_NODELAY).
    pub nodelay: bool,
    /// What an application that computes works on at once.
    pub compute: Grain,
    pub carrier: Carrier,
}

/// What messages travel as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Carrier {
    #[default]
    Tcp,
    /// Each is a datagram.
    Udp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Write(u64),
    Read(u64),
}

/// Where a process stands.
#[derive(Debug, Clone)]
pub struct Process {
    program: Vec<Operation>,
    at: usize,
    pub left_bytes: u64,
    /// What the system call under way has read, or the last one.
    pub got_bytes: u64,
    /// Waits for something to copy, or for room for it.
    pub sleeps: bool,
}

impl Process {
    /// The one that begins, or the one that answers.
    pub fn new(exchange: Exchange, begins: bool) -> Self {
        let (first, second) = match begins {
            true => (
                Operation::Write(exchange.message_bytes),
                Operation::Read(exchange.answer_bytes),
            ),
            false => (
                Operation::Read(exchange.message_bytes),
                Operation::Write(exchange.answer_bytes),
            ),
        };
        let is_something =
            |operation: &Operation| !matches!(operation, Operation::Write(0) | Operation::Read(0));
        let program = [first, second].into_iter().filter(is_something).collect();
        let mut process = Self {
            program,
            at: 0,
            left_bytes: 0,
            got_bytes: 0,
            sleeps: false,
        };
        process.rewind();
        process
    }

    pub fn operation(&self) -> Operation {
        self.program[self.at]
    }

    /// What its application works on at once.
    pub fn worked_bytes(&self, grain: Grain) -> u64 {
        match grain {
            Grain::Read => self.got_bytes,
            Grain::Message => self.bytes(),
        }
    }

    /// The size of the message that it writes or reads.
    pub fn bytes(&self) -> u64 {
        match self.operation() {
            Operation::Write(bytes) | Operation::Read(bytes) => bytes,
        }
    }

    pub fn next(&mut self) {
        self.at = (self.at + 1) % self.program.len();
        self.rewind();
    }

    /// What is copied and not yet a whole segment need not wait for more of this write.
    pub fn pushes(&self) -> bool {
        match self.operation() {
            Operation::Write(_) => self.sleeps || self.left_bytes == 0,
            Operation::Read(_) => true,
        }
    }

    /// The size of its messages out, or in.
    pub fn bytes_written(&self) -> Option<u64> {
        self.program.iter().find_map(|operation| match operation {
            Operation::Write(bytes) => Some(*bytes),
            Operation::Read(_) => None,
        })
    }

    fn rewind(&mut self) {
        self.left_bytes = self.bytes();
    }
}
