//! The agent: answers the coordinator's requests, one at a time.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use serde::Serialize;
use weft_plan::{Pattern, Phase, Transport, Wait};

use crate::batch;
use crate::batches::{Batches, ChannelBatches};
use crate::channel::{Channel, NullChannel};
use crate::clock;
use crate::door::{self, Door};
use crate::drive::{Driver, Job, Report};
use crate::ensemble;
use crate::facts;
use crate::failure::{code, describe};
use crate::frame::Kind;
use crate::icmp::IcmpBatches;
use crate::inspect::{self, Echo};
use crate::link::{self, End, Link, Work};
use crate::message::{Asked, Common, Overhead, Reply, Request, Settings};
use crate::outbox::Outbox;
use crate::pattern::{Checked, Payload, Unchecked};
use crate::processor;
use crate::samples;
use crate::support;
use crate::udp::{self, Udp, UdpBatches};
use crate::wake::Wake;

/// Talks to the coordinator on standard output.
pub struct Agent {
    outbox: Outbox,
    member: ensemble::Member,
    echo: Option<Echo>,
}

impl Agent {
    pub fn new(wake: Arc<Wake>) -> Agent {
        Agent {
            outbox: Outbox::new(),
            member: ensemble::Member::new(wake),
            echo: None,
        }
    }

    /// Say that this agent is there, what its node is, and what timing costs on it.
    pub fn greet(&mut self) -> io::Result<()> {
        self.say(&Reply::Ready {
            version: env!("CARGO_PKG_VERSION"),
            facts: facts::gather(),
            transports: support::transports(),
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
                Ok(Asked::Ensemble(request)) => self.member.answer(request, &mut self.outbox)?,
                Ok(Asked::Inspect(request)) => self.inspect(request)?,
                Ok(Asked::Pair(request)) => self.answer(*request)?,
                Err(error) => self.member.refuse(&error, &mut self.outbox)?,
            }
        }
        Ok(())
    }

    fn inspect(&mut self, request: inspect::Request) -> io::Result<()> {
        let reply = match request {
            inspect::Request::Inspect { addresses } => inspect::look(&addresses),
            inspect::Request::Paths { peers, token } => inspect::try_paths(&peers, &token),
            inspect::Request::Hush => {
                self.echo = None;
                inspect::Reply::Hushed
            }
            inspect::Request::Echo {
                addresses,
                token,
                ports,
            } => match Echo::open(&addresses, &token, ports) {
                Ok(echo) => inspect::Reply::Echoing {
                    ports: self.echo.insert(echo).ports.clone(),
                },
                Err(error) => return self.complain(&error),
            },
        };
        self.say(&reply)
    }

    fn complain(&mut self, error: &io::Error) -> io::Result<()> {
        self.say(&Reply::Error {
            code: code(error),
            message: describe(error),
        })
    }

    fn answer(&mut self, request: Request) -> io::Result<()> {
        match self.perform(request) {
            Ok(rejected) => self.say(&Reply::Done { rejected }),
            Err(error) => self.complain(&error),
        }
    }

    fn perform(&mut self, request: Request) -> io::Result<u64> {
        match request {
            Request::Serve(common) => self.serve(&common),
            Request::Drive {
                common,
                peer,
                step_index,
                launch,
                phases,
                epoch_ns,
            } => {
                let phases = chosen_phases(&common, &phases)?;
                let job = Job {
                    step: &common.step,
                    step_index,
                    launch,
                    phases: &phases,
                    epoch_ns,
                };
                self.drive(&common, peer, job)?;
                Ok(0)
            }
        }
    }

    fn serve(&mut self, common: &Common) -> io::Result<u64> {
        pin(common)?;
        let mut door = Door::open(
            common.address,
            common.ports,
            &common.step.options,
            common.token.clone(),
        )?;
        self.say(&Reply::Listening { port: door.port()? })?;
        let first = door.admit(common.patience())?;
        let another = || door.admit(common.patience());
        let link = Link::establish(End::Serve, first, common, another)?;
        self.report_settings(common, Some(link.effective()?))?;
        link.carry(common, Serving(common))?;
        door.turn_away_queue();
        Ok(door.rejected)
    }

    fn drive(&mut self, common: &Common, peer: Option<SocketAddr>, job: Job) -> io::Result<()> {
        pin(common)?;
        match (common.step.transport, peer) {
            (Transport::Null, _) => {
                self.report_settings(common, None)?;
                self.drive_over(job, NullChannel)
            }
            (Transport::Icmp, Some(peer)) => {
                let batches = IcmpBatches::new(common, peer, job.largest_bytes())?;
                let socket = batches.socket_kind();
                self.report_settings(common, Some(link::Effective::Icmp { socket }))?;
                self.run_batches(job, batches)
            }
            (_, Some(peer)) => self.drive_peer(common, peer, job),
            (transport, None) => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{} needs a peer's address", transport.name()),
            )),
        }
    }

    fn drive_peer(&mut self, common: &Common, peer: SocketAddr, job: Job) -> io::Result<()> {
        let options = &common.step.options;
        let enter = || {
            door::enter(
                common.address,
                peer,
                options,
                &common.token,
                common.patience(),
            )
        };
        let link = Link::establish(End::Drive, enter()?, common, enter)?;
        self.report_settings(common, Some(link.effective()?))?;
        link.carry(common, Driving { agent: self, job })
    }

    fn drive_over<C: Channel>(&mut self, job: Job, channel: C) -> io::Result<()> {
        if job.step.options.verify {
            self.drive_with(job, channel, Checked::default())
        } else {
            self.drive_with(job, channel, Unchecked)
        }
    }

    fn drive_with<C: Channel, P: Payload>(
        &mut self,
        job: Job,
        channel: C,
        payload: P,
    ) -> io::Result<()> {
        let pattern = &job.step.pattern;
        let batches = ChannelBatches::new(pattern, channel, payload, job.largest_bytes())?;
        self.run_batches(job, batches)
    }

    fn run_batches(&mut self, job: Job, batches: impl Batches) -> io::Result<()> {
        Driver::new(job, batches).run(|report| self.hand_on(report))
    }

    fn report_settings(
        &mut self,
        common: &Common,
        link: Option<link::Effective>,
    ) -> io::Result<()> {
        let options = &common.step.options;
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

    /// Deliveries first: the coordinator keeps nothing of them before the samples are there too.
    fn hand_on(&mut self, report: &Report) -> io::Result<()> {
        if !report.deliveries.is_empty() {
            self.outbox.put(&Reply::Deliveries {
                rows: &report.deliveries,
            })?;
        }
        if !report.samples.is_empty() {
            let stream = samples::encode(&report.samples).map_err(io::Error::other)?;
            self.outbox.put_frame(Kind::Samples, &stream)?;
        }
        self.outbox.flush()
    }

    fn say(&mut self, reply: &impl Serialize) -> io::Result<()> {
        self.outbox.say(reply)
    }
}

/// Drives a step over whatever channel there is.
struct Driving<'a, 'j> {
    agent: &'a mut Agent,
    job: Job<'j>,
}

impl Work for Driving<'_, '_> {
    fn over<C: Channel>(self, channel: C) -> io::Result<()> {
        self.agent.drive_over(self.job, channel)
    }

    fn over_udp(self, link: Udp, common: &Common) -> io::Result<()> {
        let batches = UdpBatches::new(link, common, self.job.largest_bytes())?;
        self.agent.run_batches(self.job, batches)
    }
}

/// Serves a step over whatever channel there is.
struct Serving<'a>(&'a Common);

impl Work for Serving<'_> {
    fn over<C: Channel>(self, mut channel: C) -> io::Result<()> {
        serve_channel(&mut channel, self.0)
    }

    fn over_udp(self, link: Udp, common: &Common) -> io::Result<()> {
        udp::serve_all(link, common, common.largest_bytes())
    }
}

fn serve_channel<C: Channel>(channel: &mut C, common: &Common) -> io::Result<()> {
    let mut memory = batch::memory(common.largest_bytes())?;
    let pattern = &common.step.pattern;
    if common.step.options.verify {
        batch::serve_all(pattern, channel, &mut Checked::default(), &mut memory)
    } else {
        batch::serve_all(pattern, channel, &mut Unchecked, &mut memory)
    }
}

fn chosen_phases(common: &Common, wanted: &[u32]) -> io::Result<Vec<Phase>> {
    let all = common
        .step
        .phases(common.nodes)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error.to_string()))?;
    Ok(all
        .into_iter()
        .filter(|phase| wanted.contains(&phase.index))
        .collect())
}

fn pin(common: &Common) -> io::Result<()> {
    let cpus = common.step.options.cpus.as_ref();
    match cpus.and_then(|cpus| cpus.get(common.node as usize)) {
        Some(cpu) => processor::pin(*cpu),
        None => Ok(()),
    }
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
