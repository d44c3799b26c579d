//! The end of a pair that waits to be driven.

use std::io;

use super::{Agent, pin};
use crate::batch;
use crate::channel::Channel;
use crate::door::Door;
use crate::link::{End, Link, Work};
use crate::message::{Common, Reply};
use crate::pattern::{Checked, Unchecked};
use crate::udp::{self, Udp};

impl Agent {
    pub(super) fn serve(&mut self, common: &Common) -> io::Result<u64> {
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
