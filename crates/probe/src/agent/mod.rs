//! The agent: answers the coordinator's requests, one at a time.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use serde::Serialize;
use weft_plan::{Pattern, Phase, Wait};

use crate::agent::message::{Asked, Overhead, Reply, Request};
use crate::ensemble;
use crate::inspect::{self, Echo};
use crate::knobs::{self, Heart, Knobs};
use crate::pair::batch;
use crate::pair::driver::Job;
use crate::pair::pattern::Unchecked;
use crate::pair::settings::{Effective, Settings};
use crate::pair::stall::stall_of;
use crate::sockets::Watch;
use crate::system::clock;
use crate::system::counters;
use crate::system::error::{code, describe};
use crate::system::facts;
use crate::system::processor;
use crate::system::wake::Wake;
use crate::transport::capabilities;
use crate::transport::channel::NullChannel;
use crate::watch;
use crate::wire::frame::Kind;
use crate::wire::outbox::Outbox;
use crate::wire::setup::Setup;

mod beside;
mod drive;
mod file_cast;
pub mod message;
mod record;
pub mod relay;
mod serve;
mod web;

/// Talks to the coordinator on standard output.
pub struct Agent {
    outbox: Outbox,
    member: ensemble::Member,
    echo: Option<Echo>,
    knobs: Knobs,
}

impl Agent {
    pub fn new(wake: Arc<Wake>, heart: Arc<Heart>) -> Agent {
        Agent {
            outbox: Outbox::new(),
            member: ensemble::Member::new(wake),
            echo: None,
            knobs: Knobs::new(heart),
        }
    }

    /// Say that this agent is there, what its node is, and what timing costs on it.
    pub fn greet(&mut self) -> io::Result<()> {
        self.say(&Reply::Ready {
            version: env!("CARGO_PKG_VERSION"),
            facts: Box::new(facts::gather()),
            transports: capabilities::transports(),
            timing: overhead()?,
        })
    }

    /// Answer requests until there are no more; what goes wrong is said, not returned, as long as the coordinator
    /// listens.
    pub fn answer_all(&mut self, requests: &Receiver<Vec<u8>>) -> io::Result<()> {
        while let Some(payload) = self.member.next_request(&mut self.outbox, requests)? {
            match serde_json::from_slice(&payload) {
                Ok(Asked::Clock) => self.say(&Reply::Clock {
                    now_ns: clock::now_ns(),
                })?,
                Ok(Asked::Counters) => self.say(&Reply::Counters {
                    interfaces: counters::bytes(),
                })?,
                Ok(Asked::Ensemble(request)) => self.member.answer(request, &mut self.outbox)?,
                Ok(Asked::Inspect(request)) => self.inspect(request)?,
                Ok(Asked::Knobs(request)) => self.settings_of_node(request)?,
                Ok(Asked::Sockets) => self.watch_sockets(requests)?,
                Ok(Asked::Watch(request)) => self.watch_links(request)?,
                Ok(Asked::Beside(beside)) => {
                    let outcome = self.record_beside(&beside, requests);
                    self.conclude(outcome, 0)?;
                }
                Ok(Asked::Pair(request)) => self.answer(*request, requests)?,
                Ok(Asked::Web(request)) => {
                    let outcome = self.take_part_in_web(*request, requests);
                    self.conclude(outcome, 0)?;
                }
                Ok(Asked::FileCast(request)) => {
                    if let Err(error) = self.take_part_in_cast(request, requests) {
                        self.complain(&error, 0)?;
                    }
                }
                Err(error) => self.member.refuse(&error, &mut self.outbox)?,
            }
        }
        Ok(())
    }

    fn inspect(&mut self, request: inspect::Request) -> io::Result<()> {
        let reply = match request {
            inspect::Request::Inspect { addresses } => inspect::look(&addresses),
            inspect::Request::Paths { peers, token } => inspect::try_paths(&peers, &token),
            inspect::Request::StopEcho => {
                let echo = self.echo.take();
                let rejected = echo.map_or(0, |echo| echo.refused.count());
                inspect::Reply::EchoStopped { rejected }
            }
            inspect::Request::Echo {
                addresses,
                token,
                ports,
            } => match Echo::open(&addresses, &token, ports) {
                Ok(echo) => inspect::Reply::Echoing {
                    ports: self.echo.insert(echo).ports.clone(),
                },
                Err(error) => return self.complain(&error, 0),
            },
        };
        self.say(&reply)
    }

    fn settings_of_node(&mut self, request: knobs::Request) -> io::Result<()> {
        match self.knobs.answer(request) {
            Ok(reply) => self.say(&reply),
            Err(refusal) => self.say(&Reply::Error {
                code: refusal.code,
                message: refusal.said,
                rejected: 0,
            }),
        }
    }

    /// Any request ends the watch; what was seen is its answer.
    fn watch_sockets(&mut self, requests: &Receiver<Vec<u8>>) -> io::Result<()> {
        let mut watch = match Watch::begin() {
            Ok(watch) => watch,
            Err(error) => return self.complain(&error, 0),
        };
        self.say(&watch.watching())?;
        match watch.watch(requests) {
            Ok(()) => self.say(&watch.finish()),
            Err(error) => self.complain(&error, 0),
        }
    }

    fn watch_links(&mut self, request: watch::Request) -> io::Result<()> {
        match watch::answer(request) {
            Ok((reply, probes)) => {
                self.outbox.put(&reply)?;
                if let Some(probes) = probes {
                    self.outbox.put_frame(Kind::Probes, &probes)?;
                }
                self.outbox.flush()
            }
            Err(error) => self.complain(&error, 0),
        }
    }

    fn complain(&mut self, error: &io::Error, rejected: u64) -> io::Result<()> {
        self.say(&Reply::Error {
            code: code(error),
            message: describe(error),
            rejected,
        })
    }

    fn answer(&mut self, request: Request, requests: &Receiver<Vec<u8>>) -> io::Result<()> {
        let refused = request.setup().refused.clone();
        let outcome = self.perform(request, requests);
        self.conclude(outcome, refused.count())
    }

    fn conclude(&mut self, outcome: io::Result<()>, rejected: u64) -> io::Result<()> {
        match outcome {
            Ok(()) => self.say(&Reply::Done { rejected }),
            Err(error) => {
                if let Some(stall) = stall_of(&error) {
                    self.say(&Reply::Stalled { stall })?;
                }
                self.complain(&error, rejected)
            }
        }
    }

    fn perform(&mut self, request: Request, requests: &Receiver<Vec<u8>>) -> io::Result<()> {
        match request {
            Request::Serve(setup) => self.serve(&setup),
            Request::Drive {
                setup,
                peer,
                step_index,
                launch,
                phases,
                known,
                takes_orders,
                epoch_ns,
            } => {
                let phases = chosen_phases(&setup, &phases)?;
                let job = Job {
                    step: &setup.step,
                    step_index,
                    launch,
                    phases: &phases,
                    known: &known,
                    peer: u32::from(setup.nodes > 1),
                    orders: takes_orders.then_some(requests),
                    epoch_ns,
                };
                self.drive(&setup, peer, job)
            }
            Request::DriveSynchronised { setup, peers } => {
                self.drive_synchronised(&setup, &peers, requests)
            }
        }
    }

    fn report_settings(&mut self, setup: &Setup, link: Option<Effective>) -> io::Result<()> {
        let options = &setup.step.options;
        let effective = Settings {
            link,
            cpus: processor::allowed(),
            wait: if options.wait == Wait::Auto {
                Wait::Block
            } else {
                options.wait
            },
            verify: options.verify,
        };
        self.say(&Reply::Connected { effective })
    }

    fn say(&mut self, reply: &impl Serialize) -> io::Result<()> {
        self.outbox.say(reply)
    }
}

fn chosen_phases(setup: &Setup, wanted: &[u32]) -> io::Result<Vec<Phase>> {
    let all = setup
        .step
        .phases(setup.nodes)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error.to_string()))?;
    Ok(all
        .into_iter()
        .filter(|phase| wanted.contains(&phase.index))
        .collect())
}

/// What timing costs here, measured over a channel that does nothing.
fn overhead() -> io::Result<Overhead> {
    const ROUND_TRIPS: u32 = 10_000;
    let timing = batch::time(
        &Pattern::Pingpong,
        &mut NullChannel,
        &mut Unchecked,
        &mut [0],
        ROUND_TRIPS,
    )?;
    Ok(Overhead {
        clock_read_ns: clock::read_cost_ns(),
        loop_ns: timing.elapsed_ns as f64 / f64::from(ROUND_TRIPS),
    })
}
