//! The process on each node: it writes and reads, again and again.

use weft_plan::Grain;

use crate::machine::Library;

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
    /// What a library does with them over TCP.
    Mpi(Library),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Write(u64),
    Read(u64),
    /// A library works for so many cycles and copies so many bytes.
    Work {
        cycles: u32,
        bytes: u64,
    },
}

impl Carrier {
    /// What is in front of each message in the process's memory.
    pub fn header_bytes(self) -> u64 {
        match self {
            Self::Mpi(library) => library.header_bytes,
            _ => 0,
        }
    }
}

/// Where a process stands.
#[derive(Debug, Clone)]
pub struct Process {
    program: Vec<Operation>,
    at: usize,
    /// With which operation it has received a message.
    received: Option<usize>,
    out: Ends,
    inward: Ends,
    /// How often it still goes through its program.
    rounds: u64,
    pub left_bytes: u64,
    /// What the system call under way has read, or the last one.
    pub got_bytes: u64,
    /// Waits for something to copy, or for room for it.
    pub sleeps: bool,
}

/// Where in a stream writes or reads of a program end, which is repeated.
#[derive(Debug, Clone)]
struct Ends(Vec<u64>);

impl Ends {
    fn of(program: &[Operation], bytes: fn(&Operation) -> Option<u64>) -> Self {
        let sizes = program.iter().filter_map(bytes);
        let ends = sizes.scan(0, |end, bytes| {
            *end += bytes;
            Some(*end)
        });
        Self(ends.collect())
    }

    fn has(&self, position: u64) -> bool {
        match self.0.as_slice() {
            [] => false,
            [one] => position % one == 0,
            [.., all] => self.0.contains(&((position - 1) % all + 1)),
        }
    }
}

impl Process {
    /// The one that begins, or the one that answers.
    pub fn new(exchange: Exchange, begins: bool) -> Self {
        let (question, answer) = (exchange.message_bytes, exchange.answer_bytes);
        let carrier = exchange.carrier;
        let (program, received) = match begins {
            true => {
                let mut program = sending(carrier, question);
                program.extend(receiving(carrier, answer));
                let last = program.len() - 1;
                (program, (answer > 0).then_some(last))
            }
            false => {
                let mut program = receiving(carrier, question);
                let last = program.len() - 1;
                program.extend(sending(carrier, answer));
                (program, Some(last))
            }
        };
        let mut process = Self {
            out: Ends::of(&program, |one| match one {
                Operation::Write(bytes) => Some(*bytes),
                _ => None,
            }),
            inward: Ends::of(&program, |one| match one {
                Operation::Read(bytes) => Some(*bytes),
                _ => None,
            }),
            program,
            at: 0,
            received,
            rounds: u64::MAX,
            left_bytes: 0,
            got_bytes: 0,
            sleeps: false,
        };
        process.rewind();
        process
    }

    /// Whether a message is received with what is done now.
    pub fn receives(&self) -> bool {
        self.received == Some(self.at)
    }

    /// Ends after so many messages or round trips.
    pub fn ending_after(self, rounds: u64) -> Self {
        Self { rounds, ..self }
    }

    pub fn is_over(&self) -> bool {
        self.rounds == 0
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
            Operation::Work { .. } => 0,
        }
    }

    pub fn next(&mut self) {
        self.at = (self.at + 1) % self.program.len();
        self.rounds -= u64::from(self.at == 0);
        self.rewind();
    }

    /// What is copied and not yet a whole segment need not wait for more of this write.
    pub fn pushes(&self) -> bool {
        match self.operation() {
            Operation::Write(_) => self.sleeps || self.left_bytes == 0 || self.is_over(),
            Operation::Read(_) | Operation::Work { .. } => true,
        }
    }

    /// Whether what it writes in one go ends at a place in the stream.
    pub fn ends_written(&self, position: u64) -> bool {
        self.out.has(position)
    }

    /// The same of what it reads.
    pub fn ends_read(&self, position: u64) -> bool {
        self.inward.has(position)
    }

    fn rewind(&mut self) {
        self.left_bytes = self.bytes();
    }
}

/// What a process does to send a message; nothing for one of no bytes.
fn sending(carrier: Carrier, bytes: u64) -> Vec<Operation> {
    match carrier {
        _ if bytes == 0 => Vec::new(),
        Carrier::Tcp | Carrier::Udp => vec![Operation::Write(bytes)],
        Carrier::Mpi(library) => Messages::new(library, true).of(bytes),
    }
}

/// What a process does to receive it.
fn receiving(carrier: Carrier, bytes: u64) -> Vec<Operation> {
    match carrier {
        _ if bytes == 0 => Vec::new(),
        Carrier::Tcp | Carrier::Udp => vec![Operation::Read(bytes)],
        Carrier::Mpi(library) => Messages::new(library, false).of(bytes),
    }
}

/// What a library sends and receives for a message, at one of its ends.
struct Messages {
    library: Library,
    is_sender: bool,
    program: Vec<Operation>,
}

impl Messages {
    fn new(library: Library, is_sender: bool) -> Self {
        Self {
            library,
            is_sender,
            program: Vec::new(),
        }
    }

    fn of(mut self, bytes: u64) -> Vec<Operation> {
        let Library {
            eager_bytes,
            requests,
            confirmations,
            ..
        } = self.library;
        if bytes <= eager_bytes {
            let copies = match self.is_sender {
                true => self.library.copies_out,
                false => self.library.copies_in,
            };
            self.add(true, bytes, u64::from(copies) * bytes);
            return self.program;
        }
        (0..requests).for_each(|number| self.add(number % 2 == 0, 0, 0));
        self.add(true, bytes, 0);
        (0..confirmations).for_each(|number| self.add(number % 2 == 1, 0, 0));
        self.program
    }

    /// A message of the library's with its header, from the sender of the user's message or to it.
    fn add(&mut self, is_from_sender: bool, payload_bytes: u64, copied_bytes: u64) {
        let bytes = self.library.header_bytes + payload_bytes;
        let work = |cycles| Operation::Work {
            cycles,
            bytes: copied_bytes,
        };
        match is_from_sender == self.is_sender {
            true => self
                .program
                .extend([work(self.library.send), Operation::Write(bytes)]),
            false => self
                .program
                .extend([Operation::Read(bytes), work(self.library.receive)]),
        }
    }
}
