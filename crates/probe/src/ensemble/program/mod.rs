//! Programs: what each member computes, sends and receives, and what has to happen before.

mod activity;
mod course;
mod laps;
mod part;
mod processors;
mod request;

use weft_plan::Compute;
use weft_plan::program::Action;

pub use activity::{Activity, Span};
use course::{Course, Log};
pub use laps::Lap;
use part::Part;
use processors::Processors;
pub use request::Programs;

use super::channels::Content;
use super::error::SessionError;
use super::progress::State;
use super::reply::Reply;
use super::rows::Context;
use super::session::Session;
use crate::application::work;
use crate::system::clock::now_ns;
use crate::transport::order::Order;
use crate::wire::outbox::Outbox;

/// How long real work is tried out to know what it takes: the fastest of some tries, for others may use the processor too.
const CALIBRATION_NS: u64 = 2_000_000;
const CALIBRATIONS: u32 = 5;

/// What an execution of a program was.
struct Execution {
    activity: Activity,
    laps: Vec<Lap>,
    /// How long the barrier before it took.
    barrier_ns: u64,
}

impl Session {
    /// Carry out programs in their order.
    pub fn run_programs(
        &mut self,
        asked: &Programs,
        outbox: &mut Outbox,
    ) -> Result<(), SessionError> {
        if self.mesh.is_none() {
            let message = "programs need an agent that has joined";
            return Err(SessionError::bad_request(message));
        }
        let networks = self.addresses.len() as u32;
        self.channels.rendezvous_bytes = rendezvous_bytes(asked);
        self.channels.shift_ns = self.shift_ns();
        let iteration_ps = match asked.compute {
            Compute::Work => iteration_ps(),
            Compute::Spin | Compute::Sleep => 0,
        };
        self.progress.begin();
        for phase in &asked.phases {
            let part = Part::of(asked, phase, self.node, networks)?;
            self.run_program(&part, asked, iteration_ps, outbox)?;
        }
        self.progress.rest();
        Ok(())
    }

    fn run_program(
        &mut self,
        part: &Part,
        asked: &Programs,
        iteration_ps: u64,
        outbox: &mut Outbox,
    ) -> Result<(), SessionError> {
        self.progress.enter(part.phase, State::Connect);
        self.channels.memory.reserve(part.memory_bytes())?;
        self.open_channels(part.ends(), outbox)?;
        let operations = part.own.operations();
        let cpus = operations.iter().map(|one| 1 + usize::from(one.cpu)).max();
        let mut processors = Processors::new(asked.compute, iteration_ps, cpus.unwrap_or(1));
        let trials = part.trials as usize;
        let mut log = Log::new(asked.rows, operations.len() * trials);
        let (mut activities, mut laps) = (Vec::with_capacity(trials), Vec::new());
        let mut barrier_ns = 0;
        if trials > 1 {
            // Connections that are new are slow; that one is not counted.
            self.carry_out(part, &mut processors, &mut Log::new(0, 0), outbox)?;
        }
        self.tell_moved();
        self.recorder.before(Order {
            batch: Some(0),
            ..Order::unrecorded(part.phase, 0, 1)
        });
        for _ in 0..trials {
            let done = self.carry_out(part, &mut processors, &mut log, outbox)?;
            activities.push(done.activity);
            laps.extend(done.laps);
            barrier_ns = done.barrier_ns;
        }
        self.tell_moved();
        self.recorder.after();
        self.recorder.finish();
        let phase = part.phase;
        let spent = Reply::Activities {
            phase,
            activities,
            laps,
        };
        outbox.put(&spent).map_err(SessionError::Unheard)?;
        let context = self.context(asked.step_index, asked.launch, phase);
        self.hand_over(&context, log.rows(), barrier_ns, outbox)
    }

    /// From a barrier to the end of the own last operation.
    fn carry_out(
        &mut self,
        part: &Part,
        processors: &mut Processors,
        log: &mut Log,
        outbox: &mut Outbox,
    ) -> Result<Execution, SessionError> {
        part.fill(&mut self.channels.memory);
        let mut course = Course::new(part);
        let barrier_ns = self.barrier(part.phase, outbox)?;
        self.progress.enter(part.phase, State::Transfer);
        course.start(now_ns());
        self.begin_ready(part, &mut course, processors)?;
        while !course.is_over() {
            if !self.channels.has_done() {
                self.go_on(processors, outbox)?;
            }
            self.end_over(part, &mut course, processors, log);
            self.begin_ready(part, &mut course, processors)?;
        }
        self.progress.is_computing = false;
        debug_assert!(self.channels.are_idle(), "what was begun has ended");
        if self.options.verify {
            part.check_result(&self.channels.memory)?;
        }
        Ok(Execution {
            laps: course.laps(self.shift_ns()),
            activity: course.activity(self.shift_ns()),
            barrier_ns,
        })
    }

    /// Begin all that may begin.
    fn begin_ready(
        &mut self,
        part: &Part,
        course: &mut Course,
        processors: &mut Processors,
    ) -> Result<(), SessionError> {
        loop {
            while let Some(operation) = course.next_ready() {
                self.begin(part, operation, course, processors)?;
            }
            let now_ns = now_ns();
            match processors.next_begun(now_ns) {
                Some(operation) => course.begin(operation, now_ns),
                None => return Ok(()),
            }
        }
    }

    fn begin(
        &mut self,
        part: &Part,
        operation: u32,
        course: &mut Course,
        processors: &mut Processors,
    ) -> Result<(), SessionError> {
        let one = part.own.operations()[operation as usize];
        let (content, tag) = (part.content(operation), part.own.tag(operation));
        match one.action {
            // It begins when its processor is free.
            Action::Compute { ns } => processors.ask(one.cpu, operation, ns),
            Action::Send(_) => {
                course.begin(operation, now_ns());
                part.pack(operation, &mut self.channels.memory);
                let content = match course.cuts() {
                    true => Content::Generated { bytes: 0 },
                    false => content,
                };
                self.send(part.end(operation), tag, content, operation)?;
            }
            Action::Receive(_) => {
                course.begin(operation, now_ns());
                self.receive(part.end(operation).node, tag, content, operation);
            }
        }
        Ok(())
    }

    /// Let messages come and go, and time pass.
    fn go_on(
        &mut self,
        processors: &mut Processors,
        outbox: &mut Outbox,
    ) -> Result<(), SessionError> {
        self.progress.is_computing = processors.are_busy();
        if let Some(at_ns) = processors.rings_at_ns() {
            self.timer.ring_at(at_ns)?;
        }
        processors.work();
        self.turn(outbox, processors.stay_awake().then_some(0))
    }

    fn end_over(
        &mut self,
        part: &Part,
        course: &mut Course,
        processors: &mut Processors,
        log: &mut Log,
    ) {
        let shift_ns = self.shift_ns();
        while let Some(done) = self.channels.next_done() {
            let mut taken = (done.at_ns, done.at_ns);
            if done.message.is_some() && part.carries_data() {
                let begun_ns = now_ns();
                part.unpack(done.token, &mut self.channels.memory);
                taken = (begun_ns, now_ns());
            }
            if !part.is_emptied(&done) {
                log.add(&done, shift_ns);
            }
            course.moved(&done, shift_ns, taken, part.adds(done.token));
        }
        while let Some(done) = processors.next_ended(now_ns()) {
            course.computed(done);
        }
    }

    pub(super) fn context(&self, step_index: u32, launch: u32, phase: u32) -> Context {
        Context {
            step_index,
            phase,
            launch,
            node: self.node,
            shift_ns: self.shift_ns(),
        }
    }
}

/// From how many bytes on a message waits for its receive.
fn rendezvous_bytes(asked: &Programs) -> u64 {
    asked.step.pattern.rendezvous_bytes().unwrap_or(u64::MAX)
}

fn iteration_ps() -> u64 {
    let tries = (0..CALIBRATIONS).map(|_| work::iteration_ps(CALIBRATION_NS));
    tries.min().unwrap_or(1)
}
