//! The end of a pair that waits to be driven.

use std::io;

use super::Agent;
use crate::agent::message::Reply;
use crate::application::{Application, Idle, Load};
use crate::evidence::{self, ServingEnd};
use crate::listener::accept::Listener;
use crate::listener::place::{Place, Purpose};
use crate::pair::batch;
use crate::pair::link::{End, Link, Work};
use crate::pair::pattern::{Checked, Payload, Unchecked};
use crate::system::memory::memory;
use crate::transport::channel::Channel;
use crate::transport::udp::{self, Udp};
use crate::wire::setup::Setup;

impl Agent {
    pub(super) fn serve(&mut self, setup: &Setup) -> io::Result<()> {
        setup.pin()?;
        let mut listeners = listen(setup)?;
        let ports = listeners.iter().map(Listener::port);
        let ports: Vec<u16> = ports.collect::<io::Result<_>>()?;
        self.say(&Reply::Listening {
            port: ports[0],
            more_ports: ports[1..].to_vec(),
        })?;
        let mut accept = |connection: u32| {
            let listener = connection as usize % listeners.len();
            let place = Place::in_pair(Purpose::Pair { connection });
            let socket = listeners[listener].accept(place, setup.patience())?;
            Ok(socket.into())
        };
        let link = Link::establish(End::Serve, accept(0)?, setup, accept)?;
        self.report_settings(setup, Some(link.effective()?))?;
        let load = Load::of(setup);
        let recorder = self.recorder_beside(setup, Some(&link), load.as_ref())?;
        let evidence = ServingEnd::new(recorder, |recorded| {
            evidence::put(&mut self.outbox, recorded)?;
            self.outbox.flush()
        });
        link.carry(
            setup,
            Serving {
                setup,
                evidence,
                load,
            },
        )?;
        listeners.into_iter().for_each(Listener::close);
        Ok(())
    }
}

/// Serves a step over whatever channel there is.
struct Serving<'a> {
    setup: &'a Setup,
    evidence: ServingEnd<'a>,
    load: Option<Load>,
}

impl Work for Serving<'_> {
    fn over<C: Channel>(self, channel: C) -> io::Result<()> {
        match (self.setup.step.options.verify, self.load) {
            (true, None) => serve(
                self.setup,
                channel,
                self.evidence,
                (&mut Checked::default(), &mut Idle),
            ),
            (true, Some(mut load)) => serve(
                self.setup,
                channel,
                self.evidence,
                (&mut Checked::default(), &mut load),
            ),
            (false, None) => serve(
                self.setup,
                channel,
                self.evidence,
                (&mut Unchecked, &mut Idle),
            ),
            (false, Some(mut load)) => serve(
                self.setup,
                channel,
                self.evidence,
                (&mut Unchecked, &mut load),
            ),
        }
    }

    fn over_udp(mut self, link: Udp, setup: &Setup) -> io::Result<()> {
        match self.load {
            None => udp::serve_all(link, setup, &mut self.evidence, &mut Idle),
            Some(mut load) => udp::serve_all(link, setup, &mut self.evidence, &mut load),
        }
    }
}

fn serve<C: Channel, P: Payload, A: Application>(
    setup: &Setup,
    mut channel: C,
    mut evidence: ServingEnd,
    ends: (&mut P, &mut A),
) -> io::Result<()> {
    let pattern = &setup.step.pattern;
    let mut memory = memory(batch::memory_bytes(pattern, setup.largest_bytes()))?;
    batch::serve_all(pattern, &mut channel, ends, &mut memory, &mut evidence)
}

/// A listener at each of the node's addresses.
fn listen(setup: &Setup) -> io::Result<Vec<Listener>> {
    let open = |connection| {
        Listener::open(
            setup.address_of(connection),
            setup.ports,
            &setup.step.options,
            (&setup.token, &setup.refused),
        )
    };
    (0..=setup.more_addresses.len()).map(open).collect()
}
