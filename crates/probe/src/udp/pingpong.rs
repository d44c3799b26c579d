//! Ping-pong over datagrams: a round trip that does not come to its end is given up, counted, and not timed.

use std::io::{self, Write};
use std::time::Duration;

use super::UdpBatches;
use super::serve::DONE;
use crate::batch::Timing;
use crate::batches::Outcome;
use crate::clock::now_ns;
use crate::delivery::Delivery;
use crate::order::Order;

/// How long the first reply may take: nothing is known yet of the way.
pub const FIRST_REPLY_WITHIN: Duration = Duration::from_secs(1);
/// Later ones get so many times the mean round trip before, but not less than the scheduler may take.
const REPLY_FACTOR: u32 = 8;
const LEAST_REPLY_WITHIN: Duration = Duration::from_millis(20);

impl UdpBatches<'_> {
    pub(super) fn pingpong(&mut self, order: Order) -> io::Result<Outcome> {
        self.ear.patient(&self.link.socket, self.reply_within)?;
        let mut delivery = Delivery::default();
        let mut given_up_ns = 0;
        let mut alive_ns = now_ns();
        let start_ns = alive_ns;
        while delivery.received < order.messages {
            let sent_ns = now_ns();
            delivery.sent += 1;
            if self.round_trip(
                order.size_bytes as usize,
                delivery.sent as u8,
                &mut delivery,
            )? {
                delivery.received += 1;
                alive_ns = sent_ns;
            } else {
                given_up_ns += now_ns() - sent_ns;
                self.check_alive(alive_ns)?;
            }
        }
        let elapsed_ns = now_ns() - start_ns - given_up_ns;
        self.link.control.write_all(&[DONE])?;
        let round_trip = Duration::from_nanos(elapsed_ns / u64::from(order.messages));
        self.reply_within = (round_trip * REPLY_FACTOR).max(LEAST_REPLY_WITHIN);
        Ok(Outcome {
            timing: Timing {
                start_ns,
                elapsed_ns,
            },
            messages: order.messages,
            delivery: Some((delivery, elapsed_ns)),
        })
    }

    /// Send a message and wait for the one with the same mark; false when it did not come in time.
    #[inline]
    fn round_trip(&mut self, size: usize, mark: u8, delivery: &mut Delivery) -> io::Result<bool> {
        let message = &mut self.memory[..size];
        message[0] = mark;
        self.link.socket.send(message)?;
        loop {
            match self
                .ear
                .hear(&self.link.socket, message, self.reply_within)?
            {
                None => return Ok(false),
                Some(length) if length == size && message[0] == mark => return Ok(true),
                // The reply to a round trip that was given up, or one that came twice.
                Some(_) => delivery.duplicated += 1,
            }
        }
    }

    fn check_alive(&self, alive_ns: u64) -> io::Result<()> {
        let silent = Duration::from_nanos(now_ns() - alive_ns);
        if silent < self.common.patience() {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "no datagram came back for too long: every one was lost, or the peer is stuck",
        ))
    }
}
