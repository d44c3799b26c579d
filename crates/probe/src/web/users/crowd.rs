//! All users of a phase, and the loop that acts for them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::net::SocketAddr;

use weft_plan::{Loop, Phase, Wait, Webserver};

use super::connect::{connect_all, reconnect};
use super::events::Events;
use super::page::Wrong;
use super::tally::Tally;
use super::think::Think;
use super::user::{Progress, User};
use crate::system::clock::now_ns;
use crate::web::message::Responses;
use crate::web::path;
use crate::wire::samples::Sample;
use crate::wire::setup::Setup;

const DEFAULT_TIME_NS: u64 = 5_000_000_000;
/// Pages count after each user has thought about once, but not before so long.
const LEAST_WARM_UP_NS: u64 = 200_000_000;
const BUFFER_BYTES: usize = 256 << 10;
/// The longest line of a header that servers take by default, with room to spare.
const FIELD_BYTES: usize = 4000;

/// A phase to measure.
pub struct Job {
    pub peer: SocketAddr,
    pub step_index: u32,
    pub launch: u32,
    pub phase: Phase,
    pub epoch_ns: i64,
}

pub struct Crowd<'a> {
    setup: &'a Setup,
    job: Job,
    users: Vec<User>,
    events: Events,
    is_open: bool,
    request: Vec<u8>,
    buffer: Vec<u8>,
    /// When users that think are due, the earliest first.
    agenda: BinaryHeap<Reverse<(u64, u32)>>,
    tally: Tally,
    wrong: Option<Wrong>,
}

impl<'a> Crowd<'a> {
    /// Connect all users of a phase.
    pub fn connect(setup: &'a Setup, step: &Webserver, job: Job) -> io::Result<Crowd<'a>> {
        let count = setup.step.pattern.load_of(job.phase.index).unwrap_or(1.0) as u32;
        let seed = u64::from(step.seed) << 32 | u64::from(count);
        let sockets = connect_all(setup, job.peer, count as usize)?;
        let events = Events::new(setup.step.options.wait == Wait::Spin)?;
        let page_bytes = job.phase.size_bytes;
        let users = sockets.into_iter().zip(0..).map(|(socket, user)| {
            events.watch(&socket, user as usize)?;
            let think = Think::of(seed, job.launch, user, step.think_ns);
            Ok(User::new(socket, think, page_bytes))
        });
        let users = users.collect::<io::Result<Vec<User>>>()?;
        let time_ns = step.time_ns.unwrap_or(DEFAULT_TIME_NS);
        let warm_up_ns = step.think_ns.min(time_ns).max(LEAST_WARM_UP_NS);
        let mut crowd = Crowd {
            setup,
            users,
            events,
            is_open: step.arrivals == Some(Loop::Open),
            request: request(setup, &job, step.request_bytes)?,
            buffer: vec![0; BUFFER_BYTES],
            agenda: BinaryHeap::with_capacity(count as usize + 1),
            tally: Tally::of(now_ns() + warm_up_ns, time_ns)?,
            wrong: None,
            job,
        };
        let begin_ns = now_ns();
        (0..crowd.users.len()).for_each(|user| crowd.think(user, begin_ns, begin_ns));
        Ok(crowd)
    }

    /// Request pages until they count.
    pub fn warm_up(&mut self) -> io::Result<()> {
        self.run_until(self.tally.begin_ns)
    }

    /// Request pages that count.
    pub fn run(&mut self) -> io::Result<()> {
        self.run_until(self.tally.end_ns)
    }

    /// Wait for the pages of all requests that were due; those that do not come are counted as well.
    pub fn drain(&mut self) -> io::Result<()> {
        let patience_ns = self.setup.patience().as_nanos() as u64;
        let deadline_ns = self.tally.end_ns + patience_ns;
        while self.is_owed() && now_ns() < deadline_ns {
            self.step(deadline_ns)?;
        }
        let end_ns = self.tally.end_ns;
        let mut timeouts = 0;
        for user in &mut self.users {
            while user.due_ns < end_ns {
                timeouts += u64::from(self.tally.has(user.due_ns));
                // In a closed loop there would be no further one.
                user.due_ns = match self.is_open {
                    true => user.due_ns + user.think.next_ns().max(1),
                    false => end_ns,
                };
            }
        }
        self.tally.timeouts += timeouts;
        Ok(())
    }

    /// What was found, once all is over; fails where no page came at all.
    pub fn found(&mut self) -> io::Result<(Sample, Responses)> {
        let users = self.users.len() as u32;
        let found = self
            .tally
            .responses(self.job.phase.index, users, self.is_open);
        if self.tally.pages == 0 || found.requests == 0 {
            return Err(self.nothing());
        }
        let ends = self.job.phase.transfers[1];
        let sample = Sample {
            step: self.job.step_index as i32,
            phase: self.job.phase.index as i32,
            launch: self.job.launch as i32,
            batch: 0,
            src: ends.src as i32,
            dst: ends.dst as i32,
            size_bytes: self.job.phase.size_bytes as i64,
            messages: self.tally.pages as i32,
            start_ns: self.tally.begin_ns as i64 - self.job.epoch_ns,
            elapsed_ns: (self.tally.end_ns - self.tally.begin_ns) as i64,
        };
        Ok((sample, found))
    }

    fn nothing(&self) -> io::Error {
        if let Some(wrong) = self.wrong {
            let message = format!("the web server did not answer with the page: {wrong:?}");
            return io::Error::new(io::ErrorKind::InvalidData, message);
        }
        let time_s = (self.tally.end_ns - self.tally.begin_ns) as f64 / 1e9;
        let message = format!(
            "no page came within {time_s} s: give the step more users, a longer time, or a shorter think time"
        );
        io::Error::new(io::ErrorKind::TimedOut, message)
    }

    /// Whether there are requests that were due and have no answer yet.
    fn is_owed(&self) -> bool {
        let end_ns = self.tally.end_ns;
        self.users.iter().any(|user| user.due_ns < end_ns)
    }

    fn run_until(&mut self, end_ns: u64) -> io::Result<()> {
        while now_ns() < end_ns {
            self.step(end_ns)?;
        }
        Ok(())
    }

    /// Send what is due, then sleep until something comes or is due.
    fn step(&mut self, until_ns: u64) -> io::Result<()> {
        while let Some(Reverse((due_ns, user))) = self.agenda.peek().copied() {
            let now_ns = now_ns();
            if due_ns > now_ns || due_ns >= self.tally.end_ns {
                break;
            }
            self.agenda.pop();
            self.send(user as usize, now_ns)?;
        }
        let next_ns = match self.agenda.peek() {
            Some(Reverse((due_ns, _))) if *due_ns < self.tally.end_ns => *due_ns,
            _ => u64::MAX,
        };
        self.events.wait(next_ns.min(until_ns))?;
        let mut place = 0;
        while let Some(user) = self.events.user(place) {
            if let Some(user) = user {
                self.read(user)?;
            }
            place += 1;
        }
        Ok(())
    }

    fn send(&mut self, user: usize, now_ns: u64) -> io::Result<()> {
        let mine = &mut self.users[user];
        if !self.is_open {
            mine.due_ns = now_ns;
        }
        mine.waits = true;
        mine.is_again = false;
        self.tally.sent(mine.due_ns, now_ns, mine.is_free);
        match mine.request(&self.request) {
            true => Ok(()),
            false => self.lose(user),
        }
    }

    fn read(&mut self, user: usize) -> io::Result<()> {
        let mine = &mut self.users[user];
        match mine.read(&mut self.buffer) {
            Progress::Waiting => Ok(()),
            Progress::Done if mine.waits => {
                let now_ns = now_ns();
                self.tally.answered(mine.due_ns, now_ns);
                self.go_on(user, now_ns)
            }
            Progress::Wrong(wrong) => {
                self.wrong = Some(wrong);
                self.lose(user)
            }
            _ => self.lose(user),
        }
    }

    /// The connection broke, or has something else than the page. A server may close one that is idle just when a request
    /// is under way: then it is sent again, once.
    fn lose(&mut self, user: usize) -> io::Result<()> {
        let socket = reconnect(self.setup, self.job.peer)?;
        self.events.watch(&socket, user)?;
        let mine = &mut self.users[user];
        mine.socket = socket;
        if mine.waits && mine.is_untouched() && !mine.is_again {
            mine.is_again = true;
            mine.request(&self.request);
        } else if mine.waits {
            let now_ns = now_ns();
            self.tally.failed(mine.due_ns, now_ns);
            self.go_on(user, now_ns)?;
        }
        Ok(())
    }

    /// The next request may be due already in an open loop.
    fn go_on(&mut self, user: usize, now_ns: u64) -> io::Result<()> {
        self.users[user].waits = false;
        let since_ns = match self.is_open {
            true => self.users[user].due_ns,
            false => now_ns,
        };
        self.think(user, since_ns, now_ns);
        Ok(())
    }

    fn think(&mut self, user: usize, since_ns: u64, now_ns: u64) {
        let mine = &mut self.users[user];
        mine.due_ns = since_ns + mine.think.next_ns().max(1);
        mine.is_free = mine.due_ns >= now_ns;
        self.agenda.push(Reverse((mine.due_ns, user as u32)));
    }
}

/// A request of that many bytes.
fn request(setup: &Setup, job: &Job, bytes: u64) -> io::Result<Vec<u8>> {
    let folder = path::folder(&setup.token);
    let text = format!(
        "GET /{folder}/{} HTTP/1.1\r\nHost: weft\r\n",
        job.phase.size_bytes
    );
    let (least, bytes) = (text.len() + 2 + PAD.len() + 2, bytes as usize);
    if bytes < least || bytes > FIELD_BYTES {
        let message = format!(
            "a live request has {least} to {FIELD_BYTES} bytes, not {bytes}: set `request`"
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let pad = "x".repeat(bytes - least);
    Ok(format!("{text}{PAD}{pad}\r\n\r\n").into_bytes())
}

const PAD: &str = "X-Pad: ";
