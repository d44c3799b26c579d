//! A web server's node, and its users'.

use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use weft_plan::{Pattern, Phase, Webserver};

use super::Agent;
use crate::evidence::{self, Recorder};
use crate::system::processor;
use crate::transport::order::Order;
use crate::web::{Crowd, Job, Kept, Next, Reply, Request};
use crate::wire::frame::Kind;
use crate::wire::samples;
use crate::wire::setup::Setup;

/// How soon it is noticed that the server has ended.
const LOOK_EVERY: Duration = Duration::from_millis(200);

impl Agent {
    pub(super) fn take_part_in_web(
        &mut self,
        request: Request,
        requests: &Receiver<Vec<u8>>,
    ) -> io::Result<()> {
        let setup = request.setup();
        let Pattern::Webserver(step) = setup.step.pattern.clone() else {
            return Err(wrong("the step is no web server"));
        };
        processor::pin_node(&setup.step.options, setup.node)?;
        match request {
            Request::WebServe(setup) => {
                let mut server = Kept::start(&setup, &step)?;
                self.say(&server.serving())?;
                let outcome = self.record_server(&setup, &mut server, requests);
                server.stop()?;
                outcome
            }
            Request::WebUsers {
                setup,
                peer,
                step_index,
                launch,
                phase,
                epoch_ns,
            } => {
                let job = Job {
                    peer,
                    step_index,
                    launch,
                    phase: phase_of(&setup, phase)?,
                    epoch_ns,
                };
                self.request_pages(&setup, &step, job)
            }
        }
    }

    /// Read the counters when told, until all is over or the server has ended.
    fn record_server(
        &mut self,
        setup: &Setup,
        server: &mut Kept,
        requests: &Receiver<Vec<u8>>,
    ) -> io::Result<()> {
        let used = Rc::new(Cell::new(server.used()));
        let mut recorder = match setup.step.options.evidence {
            true => evidence::open_served(setup.address, used.clone()),
            false => Recorder::default(),
        };
        if setup.step.options.evidence {
            self.say(&recorder.recording())?;
        }
        loop {
            server.check()?;
            let next = match requests.recv_timeout(LOOK_EVERY) {
                Ok(payload) => serde_json::from_slice(&payload)?,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => Next::Over,
            };
            used.set(server.used());
            match next {
                Next::Before { phase } => recorder.before(order(phase)),
                Next::After => {
                    recorder.after();
                    recorder.finish();
                    self.hand_on_rows(&mut recorder)?;
                    self.say(&super::message::Reply::Awaiting)?;
                }
                Next::Over => return Ok(()),
            }
        }
    }

    fn request_pages(&mut self, setup: &Setup, step: &Webserver, job: Job) -> io::Result<()> {
        let phase = job.phase.index;
        let mut crowd = Crowd::connect(setup, step, job)?;
        self.report_settings(setup, None)?;
        let mut recorder = self.recorder(setup, None)?;
        crowd.warm_up()?;
        recorder.before(order(phase));
        self.say(&Reply::Counting)?;
        crowd.run()?;
        self.say(&Reply::Counted)?;
        recorder.after();
        recorder.finish();
        crowd.drain()?;
        let (sample, responses) = crowd.found()?;
        self.hand_on_rows(&mut recorder)?;
        self.outbox.put(&Reply::Responses(responses))?;
        let stream = samples::encode(&[sample]).map_err(io::Error::other)?;
        self.outbox.put_frame(Kind::Samples, &stream)?;
        self.outbox.flush()
    }
}

/// The one batch of a phase.
fn order(phase: u32) -> Order {
    Order {
        batch: Some(0),
        ..Order::unrecorded(phase, 1, 1)
    }
}

fn phase_of(setup: &Setup, index: u32) -> io::Result<Phase> {
    let mut phases = super::chosen_phases(setup, &[index])?.into_iter();
    phases
        .next()
        .ok_or_else(|| wrong("the step has no such phase"))
}

fn wrong(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
