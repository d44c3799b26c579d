//! The end of a pair that drives: by itself, or on the coordinator's beat beside others.

use std::io;
use std::net::SocketAddr;
use std::sync::mpsc::Receiver;

use weft_plan::Transport;

use super::{Agent, pin};
use crate::batches::{Batches, ChannelBatches};
use crate::beat;
use crate::channel::{Channel, NullChannel};
use crate::door;
use crate::drive::{Driver, Job, Report};
use crate::frame::Kind;
use crate::icmp::IcmpBatches;
use crate::link::{self, End, Link, Work};
use crate::message::{Common, Reply};
use crate::pattern::{Checked, Payload, Unchecked};
use crate::samples;
use crate::udp::{Udp, UdpBatches};

impl Agent {
    pub(super) fn drive(
        &mut self,
        common: &Common,
        peer: Option<SocketAddr>,
        job: Job,
    ) -> io::Result<()> {
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

    pub(super) fn drive_together(
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
