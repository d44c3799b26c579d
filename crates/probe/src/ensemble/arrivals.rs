//! Connections that came in before they were needed.

use std::net::TcpStream;

use super::purpose::{Hello, Purpose};

/// Connections of friends; a fast node connects for a phase that we have not reached.
#[derive(Default)]
pub struct Arrivals(Vec<(Hello, TcpStream)>);

impl Arrivals {
    /// Keep a connection; false, and it is closed, when there is one like it.
    pub fn keep(&mut self, hello: Hello, socket: TcpStream) -> bool {
        let is_new = self.0.iter().all(|(known, _)| *known != hello);
        if is_new {
            self.0.push((hello, socket));
        }
        is_new
    }

    pub fn take(&mut self, hello: Hello) -> Option<TcpStream> {
        let index = self.0.iter().position(|(known, _)| *known == hello)?;
        Some(self.0.swap_remove(index).1)
    }

    /// Close what came for a phase that is over.
    pub fn forget_phase(&mut self, over: u32) {
        self.0.retain(|(hello, _)| match hello.purpose {
            Purpose::Data { sequence, .. } => sequence > over,
            _ => true,
        });
    }
}
