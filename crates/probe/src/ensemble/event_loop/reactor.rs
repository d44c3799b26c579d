//! The event loop's ear: epoll, level-triggered, with a name for everything it watches.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;

/// Events taken from the kernel at once.
const EVENTS: usize = 256;
const NS_PER_MS: u64 = 1_000_000;

/// What an event is about. A number may be reused within one batch of events: whoever gets an event that was meant for
/// a predecessor just finds nothing to do, because no socket here blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Wake,
    Listener(u32),
    Guest(u32),
    Attempt(u32),
    Link(u32),
    Client(u32),
    Estimate,
    Flow(u32),
    Channel(u32),
    Timer,
}

impl Key {
    fn to_u64(self) -> u64 {
        let (kind, slot) = match self {
            Key::Wake => (0, 0),
            Key::Listener(slot) => (1, slot),
            Key::Guest(slot) => (2, slot),
            Key::Attempt(slot) => (3, slot),
            Key::Link(slot) => (4, slot),
            Key::Client(slot) => (5, slot),
            Key::Estimate => (6, 0),
            Key::Flow(slot) => (7, slot),
            Key::Channel(slot) => (8, slot),
            Key::Timer => (9, 0),
        };
        kind << 32 | u64::from(slot)
    }

    fn from_u64(value: u64) -> Key {
        let slot = value as u32;
        match value >> 32 {
            1 => Key::Listener(slot),
            2 => Key::Guest(slot),
            3 => Key::Attempt(slot),
            4 => Key::Link(slot),
            5 => Key::Client(slot),
            6 => Key::Estimate,
            7 => Key::Flow(slot),
            8 => Key::Channel(slot),
            9 => Key::Timer,
            _ => Key::Wake,
        }
    }
}

/// What to wait for on a socket; errors and the end of a connection are always events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    Nothing,
    Read,
    Write,
    Both,
}

impl Interest {
    fn flags(self) -> EventFlags {
        match self {
            Interest::Nothing => EventFlags::empty(),
            Interest::Read => EventFlags::IN,
            Interest::Write => EventFlags::OUT,
            Interest::Both => EventFlags::IN | EventFlags::OUT,
        }
    }
}

/// An epoll set and the events that it found last.
pub struct Reactor {
    epoll: OwnedFd,
    events: Vec<Event>,
}

impl Reactor {
    pub fn new() -> io::Result<Reactor> {
        Ok(Reactor {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            events: Vec::with_capacity(EVENTS),
        })
    }

    /// Watch a socket until it is closed or forgotten.
    pub fn watch(&self, socket: &impl AsFd, key: Key, interest: Interest) -> io::Result<()> {
        let data = EventData::new_u64(key.to_u64());
        Ok(epoll::add(&self.epoll, socket, data, interest.flags())?)
    }

    /// Watch a socket for something else.
    pub fn rewatch(&self, socket: &impl AsFd, key: Key, interest: Interest) -> io::Result<()> {
        let data = EventData::new_u64(key.to_u64());
        Ok(epoll::modify(&self.epoll, socket, data, interest.flags())?)
    }

    pub fn forget(&self, socket: &impl AsFd) -> io::Result<()> {
        Ok(epoll::delete(&self.epoll, socket)?)
    }

    /// Sleep until something happens, at most `timeout_ns` (rounded up to what the kernel counts in); returns how many
    /// events there are.
    pub fn wait(&mut self, timeout_ns: u64) -> io::Result<usize> {
        let timeout_ms = timeout_ns.div_ceil(NS_PER_MS);
        let timeout = Timespec {
            tv_sec: (timeout_ms / 1000) as i64,
            tv_nsec: (timeout_ms % 1000 * NS_PER_MS) as i64,
        };
        self.events.clear();
        let spare = rustix::buffer::spare_capacity(&mut self.events);
        match epoll::wait(&self.epoll, spare, Some(&timeout)) {
            Ok(count) => Ok(count),
            Err(Errno::INTR) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// What one of the latest events is about.
    pub fn event(&self, index: usize) -> Key {
        Key::from_u64(self.events[index].data.u64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_survives_the_kernel() {
        let keys = [
            Key::Wake,
            Key::Listener(1),
            Key::Guest(u32::MAX),
            Key::Attempt(3),
            Key::Link(0),
            Key::Client(5),
            Key::Estimate,
            Key::Flow(7),
            Key::Channel(8),
            Key::Timer,
        ];
        for key in keys {
            assert_eq!(Key::from_u64(key.to_u64()), key);
        }
    }
}
