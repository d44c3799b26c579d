//! A program from its first operation to its last.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use weft_plan::program::{Action, Message, Repeated, Schedule, Until};

use super::activity::{Activity, Doing, Meter};
use super::connections::connections;
use super::events::{Event, Events};
use super::flows::Flows;
use super::laps::{Laps, Timed};
use super::processor::{Job, Server};
use super::rotation::Rotation;
use crate::samples::{Outgoing, Setup, Simulator};

/// Ends that differ by less than this part of the time passed are one event: what is left of rounding.
const ROUNDING: f64 = 1e-12;

/// What messages cost besides their way.
#[derive(Debug, Clone, Copy, Default)]
pub struct Costs {
    /// From a message's last bit leaving an interface to the first of the next one: LogGP's g - G.
    pub gap_s: f64,
}

/// A message that its destination has taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delivery {
    /// Nodes of the program.
    pub src: u32,
    pub dst: u32,
    pub bytes: u64,
    /// When its source's processor began with it.
    pub start_s: f64,
    pub end_s: f64,
    /// The constraint that held it back last; see `simulate::Solution`.
    pub bottleneck: u32,
}

/// What became of a program.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// By node of the program.
    pub activities: Vec<Activity>,
    /// What is timed of nodes, one behind the other.
    pub timed: Vec<Timed>,
    /// How many nodes were played; the others are like them.
    pub played: usize,
    /// How often rates were solved anew.
    pub events: u64,
}

/// Why a program does not end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    Interrupted,
    /// There is no way between these nodes of the program, or a link on it carries nothing.
    NoWay {
        src: u32,
        dst: u32,
    },
}

/// A program, and the hosts that its nodes are.
#[derive(Debug, Clone)]
pub struct Cast<'a> {
    pub program: Repeated<'a>,
    /// Longer messages wait for their receive.
    pub rendezvous_bytes: u64,
    pub hosts: Vec<u32>,
}

/// Why there is no outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unplayed {
    /// The program is wrong: what of it.
    Refused(String),
    Failed(Failure),
}

/// Plays a program, and tells of all messages in the order in which they stand in it. Where the first nodes stand for
/// all, only they are played, with the same result.
pub fn play(
    simulator: &Simulator<'_>,
    costs: Costs,
    cast: &Cast<'_>,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Delivery),
) -> Result<Outcome, Unplayed> {
    let (program, hosts) = (&cast.program, &cast.hosts[..]);
    let is_acknowledged = simulator.parameters.segments_per_ack > 0;
    let rotation = Rotation::find(simulator.network, program, hosts, is_acknowledged);
    let Some(rotation) = rotation else {
        return play_each(simulator, costs, cast, stop, tell);
    };
    let (first, all) = (program.first(rotation.shift as usize), program.ranks as u32);
    let Ok(schedule) = Schedule::of_first(&first, all, cast.rendezvous_bytes) else {
        // Says what is wrong by the names of all.
        return play_each(simulator, costs, cast, stop, tell);
    };
    drop(first);
    let play = Play::new(simulator, costs, &schedule, hosts, Some(&rotation));
    play.until_end(stop, tell)
}

/// The same, each node by itself.
pub fn play_each(
    simulator: &Simulator<'_>,
    costs: Costs,
    cast: &Cast<'_>,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Delivery),
) -> Result<Outcome, Unplayed> {
    let all = cast.program.ranks;
    let schedule = Schedule::of_first(&cast.program.first(all), all as u32, cast.rendezvous_bytes)
        .map_err(Unplayed::Refused)?;
    Play::new(simulator, costs, &schedule, &cast.hosts, None).until_end(stop, tell)
}

/// How far an operation is, as far as its message's other end asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Idle,
    /// A send that waits for its receive to begin.
    Withheld,
    /// A receive that has begun.
    Posted,
    /// A receive whose message came before.
    Met,
}

/// What is known of a send from its begin to its message's end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sent {
    pub began_s: f64,
    pub way_s: f64,
    pub end_s: f64,
    pub bottleneck: u32,
}

/// A program that is being played.
pub(super) struct Play<'a> {
    pub schedule: &'a Schedule,
    pub hosts: &'a [u32],
    pub costs: Costs,
    pub setup: Setup<'a>,
    pub flows: Flows<'a>,
    pub events: Events,
    /// By node those of each, one node behind the other.
    processors: Vec<Server<Job>>,
    /// What lets messages out one behind the other: interfaces, or connections by way of them.
    pub outlets: Vec<Server<u32>>,
    /// By operation, where outlets are connections: that of a send.
    connections: Option<Vec<u32>>,
    cpus: u32,
    nics: u32,
    pub meters: Vec<Meter>,
    /// By operation.
    needs: Vec<u32>,
    pub states: Vec<State>,
    pub sent: Vec<Sent>,
    ready: VecDeque<u32>,
    /// Operations of nodes that must end.
    left: u32,
    pub laps: Laps,
    pub now_s: f64,
    /// Where the schedule's nodes stand for more.
    pub rotation: Option<&'a Rotation>,
}

impl<'a> Play<'a> {
    fn new(
        simulator: &Simulator<'a>,
        costs: Costs,
        schedule: &'a Schedule,
        hosts: &'a [u32],
        rotation: Option<&'a Rotation>,
    ) -> Self {
        let copies = rotation.map_or(1, |rotation| rotation.copies as usize);
        assert_eq!(
            hosts.len(),
            schedule.nodes() * copies,
            "a host for each node"
        );
        let operations = schedule.operations();
        let all = || (0..operations).map(|number| schedule.operation(number));
        let cpus = 1 + all().map(|one| one.cpu).max().map_or(0, u32::from);
        let nics = 1 + all().map(|one| one.nic).max().map_or(0, u32::from);
        let nodes = schedule.nodes();
        let connections = match simulator.parameters.outgoing {
            Outgoing::Queue => None,
            Outgoing::Connections => Some(connections(schedule)),
        };
        let outlets = match &connections {
            None => nodes * nics as usize,
            Some(all) => all.iter().max().map_or(0, |last| *last as usize + 1),
        };
        Self {
            schedule,
            hosts,
            costs,
            setup: Setup::new(simulator.network, simulator.parameters),
            flows: Flows::new(simulator.network),
            events: Events::default(),
            processors: vec![Server::default(); nodes * cpus as usize],
            outlets: vec![Server::default(); outlets],
            connections,
            cpus,
            nics,
            meters: vec![Meter::default(); nodes],
            needs: schedule.needs().to_vec(),
            states: vec![State::Idle; operations as usize],
            sent: vec![Sent::default(); operations as usize],
            ready: (0..operations)
                .filter(|one| schedule.needs()[*one as usize] == 0)
                .collect(),
            left: (0..operations)
                .filter(|one| schedule.stop(schedule.node(*one)).is_none())
                .count() as u32,
            laps: Laps::of(schedule),
            now_s: 0.0,
            rotation,
        }
    }

    fn until_end(
        mut self,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Delivery),
    ) -> Result<Outcome, Unplayed> {
        self.run(stop).map_err(Unplayed::Failed)?;
        Ok(self.outcome(tell))
    }

    fn run(&mut self, stop: &AtomicBool) -> Result<(), Failure> {
        let tolerance = self.setup.parameters.tolerance.max(ROUNDING);
        self.start_ready()?;
        while self.left > 0 {
            if stop.load(Ordering::Relaxed) {
                return Err(Failure::Interrupted);
            }
            self.flows.settle(self.now_s);
            let next_s = self.events.next_s().min(self.flows.next_end_s());
            if next_s == f64::INFINITY {
                let send = self
                    .flows
                    .any()
                    .expect("a checked program only waits for transfers");
                return Err(self.no_way(send));
            }
            let until_s = next_s * (1.0 + tolerance);
            while let Some((at_s, event)) = self.events.take(until_s) {
                self.now_s = self.now_s.max(at_s);
                self.handle(event)?;
                self.start_ready()?;
            }
            while let Some((send, end_s, bottleneck)) = self.flows.take_ended(until_s) {
                self.now_s = self.now_s.max(end_s);
                self.sent[send as usize].bottleneck = bottleneck;
                self.leave(send)?;
                self.start_ready()?;
            }
        }
        Ok(())
    }

    fn start_ready(&mut self) -> Result<(), Failure> {
        while let Some(number) = self.ready.pop_front() {
            match self.schedule.operation(number).action {
                Action::Compute { .. } => self.ask(self.processor(number), Job::Compute(number)),
                Action::Send(_) => self.ask(self.processor(number), Job::Send(number)),
                Action::Receive(_) => self.post(number)?,
            }
        }
        Ok(())
    }

    fn handle(&mut self, event: Event) -> Result<(), Failure> {
        match event {
            Event::Done { processor } => {
                let job = self.processors[processor as usize].current;
                self.finish(job.expect("it did something"))?;
                if let Some(next) = self.processors[processor as usize].next() {
                    self.start(processor, next);
                }
            }
            Event::Arrived { send } => {
                let (receive, now_s) = (self.partner(send), self.now_s);
                self.meter(receive).end(Doing::Communicating, now_s);
                self.ask(self.processor(receive), Job::Receive(send));
            }
            Event::Free { outlet } => self.let_next_out(outlet)?,
        }
        Ok(())
    }

    /// Has a processor do something, at once or when it is its turn.
    pub fn ask(&mut self, processor: u32, job: Job) {
        if self.processors[processor as usize].begins(job) {
            self.start(processor, job);
        }
    }

    fn start(&mut self, processor: u32, job: Job) {
        let node = (processor / self.cpus) as usize;
        let (doing, span_s) = match job {
            Job::Compute(number) => (Doing::Computing, self.compute_s(number)),
            _ => (Doing::Communicating, self.setup.parameters.overhead_s),
        };
        self.meters[node].begin(doing, self.now_s);
        if let Job::Compute(number) | Job::Send(number) = job {
            self.sent[number as usize].began_s = self.now_s;
            self.release(number, Until::Begun);
        }
        self.events
            .add(self.now_s + span_s, Event::Done { processor });
    }

    fn finish(&mut self, job: Job) -> Result<(), Failure> {
        let now_s = self.now_s;
        match job {
            Job::Compute(number) => {
                self.meter(number).end(Doing::Computing, now_s);
                self.end(number);
            }
            Job::Send(send) => {
                self.meter(send).end(Doing::Communicating, now_s);
                let is_posted = self.states[self.partner(send) as usize] == State::Posted;
                match self.is_rendezvous(send) && !is_posted {
                    true => self.states[send as usize] = State::Withheld,
                    false => self.offer(send)?,
                }
            }
            Job::Receive(send) => {
                let receive = self.partner(send);
                self.meter(receive).end(Doing::Communicating, now_s);
                self.sent[send as usize].end_s = now_s;
                match self.states[receive as usize] {
                    State::Posted => self.end(receive),
                    _ => self.states[receive as usize] = State::Met,
                }
            }
        }
        Ok(())
    }

    pub fn end(&mut self, number: u32) {
        let now_s = self.now_s;
        self.left -= u32::from(self.schedule.stop(self.schedule.node(number)).is_none());
        self.laps.note(number, now_s);
        self.meter(number).end_operation(now_s);
        self.release(number, Until::Ended);
    }

    pub fn release(&mut self, number: u32, until: Until) {
        for dependent in self.schedule.dependents(number) {
            if dependent.until == until {
                let needs = &mut self.needs[dependent.operation as usize];
                *needs -= 1;
                if *needs == 0 {
                    self.ready.push_back(dependent.operation);
                }
            }
        }
    }

    pub fn meter(&mut self, number: u32) -> &mut Meter {
        &mut self.meters[self.schedule.node(number) as usize]
    }

    pub fn processor(&self, number: u32) -> u32 {
        self.schedule.node(number) * self.cpus + u32::from(self.schedule.operation(number).cpu)
    }

    /// What lets out the message of a send.
    pub fn outlet(&self, send: u32) -> u32 {
        match &self.connections {
            Some(connections) => connections[send as usize],
            None => {
                self.schedule.node(send) * self.nics + u32::from(self.schedule.operation(send).nic)
            }
        }
    }

    pub fn partner(&self, number: u32) -> u32 {
        let partner = self.schedule.partner(number);
        partner.expect("a checked message has two ends")
    }

    /// What a send sends.
    pub fn message(&self, send: u32) -> Message {
        let message = self.schedule.operation(send).action.message();
        message.expect("a send has a message")
    }

    fn compute_s(&self, number: u32) -> f64 {
        match self.schedule.operation(number).action {
            Action::Compute { ns } => ns as f64 / 1e9,
            _ => 0.0,
        }
    }

    pub fn is_rendezvous(&self, send: u32) -> bool {
        self.schedule.is_rendezvous(self.message(send).bytes)
    }
}
