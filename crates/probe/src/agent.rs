//! The agent: answers the coordinator's requests, one at a time.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use serde::Serialize;
use weft_plan::{Pattern, Phase, Transport, Wait};

use crate::batch;
use crate::batches::{Batches, ChannelBatches};
use crate::beat;
use crate::channel::{Channel, NullChannel};
use crate::clock;
use crate::counters;
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
                Ok(Asked::Counters) => self.say(&Reply::Counters {
                    interfaces: counters::read(),
                })?,
                Ok(Asked::Ensemble(request)) => self.member.answer(request, &mut self.outbox)?,
                Ok(Asked::Inspect(request)) => self.inspect(request)?,
                Ok(Asked::Pair(request)) => self.answer(*request, requests)?,
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

    fn answer(&mut self, request: Request, requests: &Receiver<Vec<u8>>) -> io::Result<()> {
        match self.perform(request, requests) {
            Ok(rejected) => self.say(&Reply::Done { rejected }),
            Err(error) => self.complain(&error),
        }
    }

    fn perform(&mut self, request: Request, requests: &Receiver<Vec<u8>>) -> io::Result<u64> {
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
            Request::DriveTogether { common, peers } => {
                self.drive_together(&common, &peers, requests)?;
                Ok(0)
            }
        }
    }

    fn serve(&mut self, common: &Common) -> io::Result<u64> {
        pin(common)?;
        let mut doors = open_doors(common)?;
        let ports = doors.iter().map(Door::port);
        let ports: Vec<u16> = ports.collect::<io::Result<_>>()?;
        self.say(&Reply::Listening {
            port: ports[0],
            more_ports: ports[1..].to_vec(),
        })?;
        let mut admit = |connection: usize| {
            let door = connection % doors.len();
            doors[door].admit(common.patience())
        };
        let link = Link::establish(End::Serve, admit(0)?, common, admit)?;
        self.report_settings(common, Some(link.effective()?))?;
        link.carry(common, Serving(common))?;
        doors.iter_mut().for_each(Door::turn_away_queue);
        Ok(doors.iter().map(|door| door.rejected).sum())
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
        let link = self.connect(common, &[peer])?;
        link.carry(common, Driving { agent: self, job })
    }

    fn drive_together(
        &mut self,
        common: &Common,
        peers: &[SocketAddr],
        requests: &Receiver<Vec<u8>>,
    ) -> io::Result<()> {
        pin(common)?;
        let link = self.connect(common, peers)?;
        let together = Together {
            agent: self,
            common,
            requests,
        };
        link.carry(common, together)
    }

    /// Connect to a peer, whose further connections take turns at its addresses, and say what became of it.
    fn connect(&mut self, common: &Common, peers: &[SocketAddr]) -> io::Result<Link> {
        let enter = |connection: usize| {
            door::enter(
                common.address_of(connection),
                peers[connection % peers.len()],
                &common.step.options,
                &common.token,
                common.patience(),
            )
        };
        if peers.is_empty() {
            let kind = io::ErrorKind::InvalidInput;
            return Err(io::Error::new(kind, "a driver needs a peer's address"));
        }
        let link = Link::establish(End::Drive, enter(0)?, common, enter)?;
        self.report_settings(common, Some(link.effective()?))?;
        Ok(link)
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

/// Drives batches on the coordinator's beat over whatever channel there is.
struct Together<'a> {
    agent: &'a mut Agent,
    common: &'a Common,
    requests: &'a Receiver<Vec<u8>>,
}

impl Work for Together<'_> {
    fn over<C: Channel>(self, channel: C) -> io::Result<()> {
        let pattern = &self.common.step.pattern;
        let largest_bytes = self.common.largest_bytes();
        beat::follow(pattern, channel, largest_bytes, self.requests, |timing| {
            self.agent.say(&Reply::Timed {
                start_ns: timing.start_ns,
                elapsed_ns: timing.elapsed_ns,
            })
        })
    }

    fn over_udp(self, _: Udp, _: &Common) -> io::Result<()> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "several pairs at once do not go over udp",
        ))
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
    let pattern = &common.step.pattern;
    let mut memory = batch::memory(batch::memory_bytes(pattern, common.largest_bytes()))?;
    if common.step.options.verify {
        batch::serve_all(pattern, channel, &mut Checked::default(), &mut memory)
    } else {
        batch::serve_all(pattern, channel, &mut Unchecked, &mut memory)
    }
}

/// A door at each of the node's addresses.
fn open_doors(common: &Common) -> io::Result<Vec<Door>> {
    let open = |connection| {
        Door::open(
            common.address_of(connection),
            common.ports,
            &common.step.options,
            common.token.clone(),
        )
    };
    (0..=common.more_addresses.len()).map(open).collect()
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
