//! Traffic: each member simulates a domain of the map, and tells its neighbours after each step what crosses the border.

mod exchange;
mod request;

use std::sync::Arc;

use weft_plan::Traffic;
use weft_traffic::{Domain, Partition, Scenario};

use exchange::Exchange;
pub use request::{Part, Traffics};

use super::error::SessionError;
use super::program::{Activity, Span};
use super::progress::State;
use super::reply::Reply;
use super::session::Session;
use crate::system::clock::{now_ns, thread_ns};
use crate::wire::outbox::Outbox;

/// So many seconds are simulated before the coordinator may be told that this member is alive.
const REPORT_EVERY_S: u32 = 50;

/// What a member did in a phase.
#[derive(Default)]
struct Course {
    start_ns: u64,
    computing: Vec<Span>,
    moving: Vec<Span>,
    passed: u64,
    messages: u64,
    bytes: u64,
}

impl Session {
    /// Simulate traffic over more and more members.
    pub fn run_traffic(
        &mut self,
        asked: &Traffics,
        outbox: &mut Outbox,
    ) -> Result<(), SessionError> {
        if self.mesh.is_none() {
            let message = "traffic needs an agent that has joined";
            return Err(SessionError::bad_request(message));
        }
        self.channels.rendezvous_bytes = asked.traffic.rendezvous_bytes;
        self.channels.shift_ns = self.shift_ns();
        self.progress.begin();
        let whole = self.whole(asked, outbox)?;
        for part in &asked.phases {
            asked.check(part)?;
            self.drive(part, asked, &whole, outbox)?;
        }
        self.progress.rest();
        Ok(())
    }

    /// The whole map up to the second in which members begin together.
    fn whole(&mut self, asked: &Traffics, outbox: &mut Outbox) -> Result<Domain, SessionError> {
        let first = asked.phases.first().map_or(0, |part| part.phase);
        self.progress.enter(first, State::Connect);
        self.progress.is_computing = true;
        let scenario = Scenario::of(&asked.traffic).map_err(SessionError::bad_request)?;
        let mut whole = Domain::whole(&Arc::new(scenario));
        while whole.now_s() < asked.traffic.from_second {
            whole.advance();
            if whole.now_s() % REPORT_EVERY_S == 0 {
                self.turn(outbox, Some(0))?;
            }
        }
        self.progress.is_computing = false;
        Ok(whole)
    }

    fn drive(
        &mut self,
        part: &Part,
        asked: &Traffics,
        whole: &Domain,
        outbox: &mut Outbox,
    ) -> Result<(), SessionError> {
        let ranks = &asked.ranks[..part.nodes as usize];
        let context = self.context(asked.step_index, asked.launch, part.phase);
        let Some(number) = ranks.iter().position(|node| *node == self.node) else {
            let barrier_ns = self.barrier(part.phase, outbox)?;
            return self.hand_over(&context, &[], barrier_ns, outbox);
        };
        self.progress.enter(part.phase, State::Connect);
        let partition = Arc::new(Partition::of(whole.scenario(), part.nodes));
        let mut domain = whole.part(&partition, number as u32);
        let mut exchange = Exchange::new(&domain, asked.traffic.car_bytes, ranks);
        self.channels.memory.reserve(exchange.bytes())?;
        self.open_channels(exchange.ends(), outbox)?;
        let barrier_ns = self.barrier(part.phase, outbox)?;
        self.progress.enter(part.phase, State::Transfer);
        let mut course = Course {
            start_ns: now_ns(),
            ..Course::default()
        };
        for _ in 0..asked.traffic.seconds {
            self.compute(&mut domain, &asked.traffic, &mut course, outbox)?;
            self.exchange(&mut domain, &mut exchange, &mut course, outbox)?;
        }
        let spent = course.spent(part.phase, self.shift_ns());
        outbox.put(&spent).map_err(SessionError::Unheard)?;
        let driven = course.driven(part.phase, &domain);
        outbox.put(&driven).map_err(SessionError::Unheard)?;
        let rows = exchange.rows(self.node, asked.traffic.seconds, course.start_ns, now_ns());
        self.hand_over(&context, &rows, barrier_ns, outbox)
    }

    /// A step of the domain, which takes at least what the plan says. What others take of the processor meanwhile counts as
    /// waiting.
    fn compute(
        &mut self,
        domain: &mut Domain,
        traffic: &Traffic,
        course: &mut Course,
        outbox: &mut Outbox,
    ) -> Result<(), SessionError> {
        let (begun_ns, used_ns) = (now_ns(), thread_ns());
        domain.advance();
        let used_ns = thread_ns() - used_ns;
        let wanted_ns = traffic.compute_ns(domain.passed());
        let until_ns = begun_ns + wanted_ns;
        self.progress.is_computing = true;
        while now_ns() < until_ns {
            self.turn(outbox, Some(until_ns))?;
        }
        self.progress.is_computing = false;
        course.passed += domain.passed();
        course
            .computing
            .push((begun_ns, begun_ns + used_ns.max(wanted_ns)));
        Ok(())
    }

    /// Tell all neighbours, and hear from all.
    fn exchange(
        &mut self,
        domain: &mut Domain,
        exchange: &mut Exchange,
        course: &mut Course,
        outbox: &mut Outbox,
    ) -> Result<(), SessionError> {
        exchange.begin();
        for at in 0..exchange.count() {
            let (end, content) = exchange.pack(at, domain, &mut self.channels.memory);
            course.messages += 1;
            course.bytes += content.bytes();
            self.send(end, 0, content, Exchange::sends(at))?;
            let (node, room) = exchange.room(at);
            self.receive(node, 0, room, Exchange::receives(at));
        }
        let mut sent_ns = now_ns();
        let begun_ns = sent_ns;
        while exchange.is_open() {
            let Some(done) = self.channels.next_done() else {
                self.turn(outbox, None)?;
                continue;
            };
            exchange.end(&done);
            match &done.message {
                None => sent_ns = sent_ns.max(done.at_ns),
                Some(message) => {
                    let began_ns = (message.began_ns - self.shift_ns()).max(0) as u64;
                    course.moving.push((began_ns.min(done.at_ns), done.at_ns));
                }
            }
        }
        course.moving.push((begun_ns, sent_ns));
        exchange
            .unpack(domain, &self.channels.memory)
            .map_err(|why| SessionError::about("garbled", self.node, why))
    }
}

impl Course {
    fn spent(&mut self, phase: u32, shift_ns: i64) -> Reply {
        let whole = (self.start_ns, now_ns());
        let activity = Activity::of(whole, &mut self.computing, &mut self.moving, shift_ns);
        Reply::Activities {
            phase,
            activities: vec![activity],
            laps: Vec::new(),
        }
    }

    fn driven(&self, phase: u32, domain: &Domain) -> Reply {
        let census = domain.census();
        Reply::Driven {
            phase,
            // As tables keep it.
            hash: census.hash as i64,
            home: census.home,
            waiting: census.waiting,
            driving: census.driving,
            arrived: census.arrived,
            passed: self.passed,
            messages: self.messages,
            bytes: self.bytes,
        }
    }
}
