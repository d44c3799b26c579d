//! The end of a pair that drives: by itself, or beside others with a synchronised start.

use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::sync::mpsc::Receiver;

use weft_plan::Transport;

use super::Agent;
use crate::agent::message::Reply;
use crate::evidence::{self, Recorder, ServingEnd};
use crate::listener::connect::connect;
use crate::listener::place::{Place, Purpose};
use crate::pair::batch::ChannelBatches;
use crate::pair::driver::{Driver, Job, Report};
use crate::pair::link::{End, Link, Work};
use crate::pair::pattern::{Checked, Payload, Unchecked};
use crate::pair::settings::Effective;
use crate::pair::synchronised;
use crate::transport::batches::{Batches, Timing};
use crate::transport::channel::{Channel, NullChannel};
use crate::transport::icmp::IcmpBatches;
use crate::transport::udp::{Udp, UdpBatches};
use crate::wire::frame::Kind;
use crate::wire::samples;
use crate::wire::setup::Setup;

impl Agent {
    pub(super) fn drive(
        &mut self,
        setup: &Setup,
        peer: Option<SocketAddr>,
        job: Job,
    ) -> io::Result<()> {
        setup.pin()?;
        match (setup.step.transport, peer) {
            (Transport::Null, _) => {
                self.report_settings(setup, None)?;
                let recorder = self.recorder(setup, None)?;
                self.drive_over(job, NullChannel, recorder)
            }
            (Transport::Icmp, Some(peer)) => {
                let batches = IcmpBatches::new(setup, peer, job.largest_bytes())?;
                let socket = batches.socket_kind();
                self.report_settings(setup, Some(Effective::Icmp { socket }))?;
                let recorder = self.recorder(setup, None)?;
                self.run_batches(job, batches, recorder)
            }
            (_, Some(peer)) => self.drive_peer(setup, peer, job),
            (transport, None) => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{} needs a peer's address", transport.name()),
            )),
        }
    }

    fn drive_peer(&mut self, setup: &Setup, peer: SocketAddr, job: Job) -> io::Result<()> {
        let link = self.connect(setup, &[peer])?;
        let recorder = self.recorder(setup, Some(&link))?;
        let driving = Driving {
            agent: self,
            job,
            recorder,
        };
        link.carry(setup, driving)
    }

    pub(super) fn drive_synchronised(
        &mut self,
        setup: &Setup,
        peers: &[SocketAddr],
        requests: &Receiver<Vec<u8>>,
    ) -> io::Result<()> {
        setup.pin()?;
        let link = self.connect(setup, peers)?;
        let recorder = self.recorder(setup, Some(&link))?;
        let together = Together {
            agent: self,
            setup,
            requests,
            recorder,
        };
        link.carry(setup, together)
    }

    /// Connect to a peer, whose further connections take turns at its addresses, and say what became of it.
    fn connect(&mut self, setup: &Setup, peers: &[SocketAddr]) -> io::Result<Link> {
        let connect = |connection: u32| {
            let place = Place::in_pair(Purpose::Pair { connection });
            let connection = connection as usize;
            connect(
                setup.address_of(connection),
                peers[connection % peers.len()],
                &setup.step.options,
                (place, &setup.token),
                setup.patience(),
            )
        };
        if peers.is_empty() {
            let kind = io::ErrorKind::InvalidInput;
            return Err(io::Error::new(kind, "a driver needs a peer's address"));
        }
        let link = Link::establish(End::Drive, connect(0)?, setup, connect)?;
        self.report_settings(setup, Some(link.effective()?))?;
        Ok(link)
    }

    fn drive_over<C: Channel>(
        &mut self,
        job: Job,
        channel: C,
        recorder: Recorder,
    ) -> io::Result<()> {
        if job.step.options.verify {
            self.drive_with(job, channel, Checked::default(), recorder)
        } else {
            self.drive_with(job, channel, Unchecked, recorder)
        }
    }

    fn drive_with<C: Channel, P: Payload>(
        &mut self,
        job: Job,
        channel: C,
        payload: P,
        recorder: Recorder,
    ) -> io::Result<()> {
        let pattern = &job.step.pattern;
        let batches = ChannelBatches::new(pattern, channel, payload, job.largest_bytes())?;
        self.run_batches(job, batches, recorder)
    }

    fn run_batches(
        &mut self,
        job: Job,
        batches: impl Batches,
        recorder: Recorder,
    ) -> io::Result<()> {
        let orders = job.orders;
        let mut driver = Driver::new(job, batches, recorder);
        driver.run(|report, recorder| self.hand_on(report, recorder))?;
        if let Some(orders) = orders {
            driver.follow(orders, |report, recorder| {
                self.hand_on(report, recorder)?;
                self.say(&Reply::Awaiting)
            })?;
        }
        driver.end()
    }

    /// Samples last: the coordinator keeps nothing of the others before the samples are there too.
    fn hand_on(&mut self, report: &Report, recorder: &mut Recorder) -> io::Result<()> {
        let evidence = recorder.hand_on(|recorded| evidence::put(&mut self.outbox, recorded));
        evidence.transpose()?;
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
    recorder: Recorder,
}

impl Work for Driving<'_, '_> {
    fn over<C: Channel>(self, channel: C) -> io::Result<()> {
        self.agent.drive_over(self.job, channel, self.recorder)
    }

    fn over_udp(self, link: Udp, setup: &Setup) -> io::Result<()> {
        let batches = UdpBatches::new(link, setup, self.job.largest_bytes())?;
        self.agent.run_batches(self.job, batches, self.recorder)
    }
}

/// Drives batches with a synchronised start over whatever channel there is.
struct Together<'a> {
    agent: &'a mut Agent,
    setup: &'a Setup,
    requests: &'a Receiver<Vec<u8>>,
    recorder: Recorder,
}

impl Work for Together<'_> {
    fn over<C: Channel>(self, channel: C) -> io::Result<()> {
        let pattern = &self.setup.step.pattern;
        let largest_bytes = self.setup.largest_bytes();
        let outbox = RefCell::new(&mut self.agent.outbox);
        let mut evidence = ServingEnd::new(self.recorder, |recorded| {
            evidence::put(&mut outbox.borrow_mut(), recorded)
        });
        let tell = |timing: Timing| {
            outbox.borrow_mut().say(&Reply::Timed {
                start_ns: timing.start_ns,
                elapsed_ns: timing.elapsed_ns,
            })
        };
        synchronised::follow(
            pattern,
            channel,
            largest_bytes,
            self.requests,
            &mut evidence,
            tell,
        )
    }

    fn over_udp(self, _: Udp, _: &Setup) -> io::Result<()> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "several pairs at once do not go over udp",
        ))
    }
}
