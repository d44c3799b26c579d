//! Processors, which do one thing at a time, and interfaces, which let one message out at a time.

use std::collections::VecDeque;

/// What a processor does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Job {
    Compute(u32),
    /// Hands a message of this send to the interface.
    Send(u32),
    /// Takes the message of this send from the interface.
    Receive(u32),
}

/// One that does something, and what waits for it, in order.
#[derive(Debug, Clone)]
pub struct Server<T> {
    pub current: Option<T>,
    waiting: VecDeque<T>,
}

impl<T> Default for Server<T> {
    fn default() -> Self {
        Self {
            current: None,
            waiting: VecDeque::new(),
        }
    }
}

impl<T: Copy> Server<T> {
    /// Whether it begins with this at once; else that waits.
    pub fn begins(&mut self, one: T) -> bool {
        if self.current.is_some() {
            self.waiting.push_back(one);
            return false;
        }
        self.current = Some(one);
        true
    }

    /// Ends what it does, and begins with the next.
    pub fn next(&mut self) -> Option<T> {
        self.current = self.waiting.pop_front();
        self.current
    }
}
