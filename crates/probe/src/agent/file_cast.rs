//! A node of a cast: its threads work by themselves, this one talks to the coordinator.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::Agent;
use crate::file_cast::{Node, Request, look};

/// How soon the coordinator hears what has happened.
const LOOK_EVERY: Duration = Duration::from_millis(20);
const ALIVE_EVERY: Duration = Duration::from_millis(500);

impl Agent {
    pub(super) fn take_part_in_cast(
        &mut self,
        request: Request,
        requests: &Receiver<Vec<u8>>,
    ) -> io::Result<()> {
        let opening = match request {
            Request::CastLook { job } => return self.say(&look(&job)?),
            Request::CastOpen(opening) => *opening,
        };
        let mut node = Node::open(opening)?;
        self.say(&node.opened()?)?;
        let mut told = Instant::now();
        loop {
            match requests.recv_timeout(LOOK_EVERY) {
                Ok(payload) => {
                    if let Some(last) = node.follow(serde_json::from_slice(&payload)?)? {
                        return self.say(&last);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            for event in node.events() {
                self.say(&event)?;
            }
            if told.elapsed() >= ALIVE_EVERY {
                told = Instant::now();
                self.say(&node.alive())?;
            }
        }
    }
}
