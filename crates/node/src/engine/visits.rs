//! A server and its users, until what they get is known closely.

use super::job::Frame;
use super::observe::Tally;
use super::observe::{Unwatched, Watch};
use super::pair::{Failure, Pair};
use super::process::{Carrier, Exchange};
use super::users::{Load, SERVER, USERS, Users};
use crate::machine::{Machine, Task};
use weft_plan::Grain;

/// Over some of the pages.
#[derive(Debug, Clone, PartialEq)]
pub struct Visits {
    pub pages: u64,
    pub elapsed_ps: u64,
    /// Of each page, from the question to its last byte, in increasing order.
    pub responses_ps: Vec<u64>,
    /// How many users waited on average.
    pub waiting: f64,
    /// What the server was busy with.
    pub tally: Tally,
    pub events: u64,
    pub fingerprint: u64,
}

impl<'a> Pair<'a> {
    /// A server, node 1, and users at the other end of its link. They begin by thinking.
    pub fn of_users(machine: &'a Machine, load: Load) -> Self {
        let exchange = Exchange {
            message_bytes: load.request_bytes,
            answer_bytes: load.page_bytes,
            nodelay: load.nodelay,
            compute: Grain::Read,
            carrier: Carrier::Tcp,
        };
        let mut pair = Self::idle(machine, exchange, Unwatched);
        pair.nodes[SERVER].multiply(load.users);
        for user in 0..load.users {
            pair.nodes[SERVER].turn_to(user);
            pair.begin_operation(SERVER, pair.place(Task::Application));
        }
        pair.wind_timer(SERVER);
        pair.users = Some(Users::new(machine, load));
        pair.await_users();
        pair
    }

    /// Goes on for so many pages.
    pub fn visits(&mut self, pages: u64) -> Result<Visits, Failure> {
        let before = self.tally(SERVER);
        let waited_ps = self.waited_ps();
        let events = self.events();
        for _ in 0..pages {
            self.next_page()?;
        }
        let tally = self.tally(SERVER).since(&before);
        let area_ps = self.waited_ps() - waited_ps;
        let users = self.users.as_mut();
        let mut responses_ps =
            users.map_or(Vec::new(), |users| std::mem::take(&mut users.responses_ps));
        responses_ps.sort_unstable();
        Ok(Visits {
            pages: responses_ps.len() as u64,
            elapsed_ps: tally.elapsed_ps,
            responses_ps,
            waiting: area_ps as f64 / tally.elapsed_ps.max(1) as f64,
            tally,
            events: self.events() - events,
            fingerprint: self.fingerprint(),
        })
    }

    fn next_page(&mut self) -> Result<(), Failure> {
        let pages = |pair: &Self| {
            pair.users
                .as_ref()
                .map_or(0, |users| users.responses_ps.len())
        };
        let before = pages(self);
        self.go_on_until(|pair| pages(pair) > before)
    }

    fn waited_ps(&mut self) -> u128 {
        let now_ps = self.now_ps;
        self.users.as_mut().map_or(0, |users| users.area_ps(now_ps))
    }
}

impl<W: Watch> Pair<'_, W> {
    /// The time has come for some of the users to do what they planned.
    pub(super) fn users_act(&mut self) {
        let now_ps = self.now_ps;
        let act = |pair: &mut Self| pair.users.as_mut()?.act(now_ps);
        while let Some(frames) = act(self) {
            let frames = frames.into_iter();
            frames.for_each(|frame| self.queue_frame(USERS, frame));
        }
        self.await_users();
    }

    /// A frame of the server's has reached its user.
    pub(super) fn reached(&mut self, frame: Frame) {
        self.leave_ring(USERS, frame);
        let now_ps = self.now_ps;
        let answer = self
            .users
            .as_mut()
            .and_then(|users| users.read(frame, now_ps));
        if let Some(answer) = answer {
            self.queue_frame(USERS, answer);
        }
        self.await_users();
    }

    pub(super) fn await_users(&mut self) {
        let next_ps = self.users.as_ref().and_then(Users::next_ps);
        if let Some(next_ps) = next_ps {
            let slot = self.users_slot();
            self.calendar.set(slot, next_ps);
        }
    }
}
