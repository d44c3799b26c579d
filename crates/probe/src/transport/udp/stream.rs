//! A stream of datagrams at a rate; the receiver says what arrived.

use std::io::{self, Write};

use super::arrivals::Header;
use super::pace;
use super::serve::DONE;
use super::{UdpBatches, peer};
use crate::system::clock::now_ns;
use crate::transport::batches::{Outcome, Timing};
use crate::transport::delivery::Delivery;
use crate::transport::order::Order;

/// What is sent to find out the achievable rate: first a few, then for about as long as queues need to fill.
const PROBE_MESSAGES: u32 = 64;
const PROBE_NS: f64 = 100e6;
const MOST_PROBE_MESSAGES: f64 = 1e6;

impl UdpBatches<'_> {
    pub(super) fn stream(&mut self, order: Order) -> io::Result<Outcome> {
        let start_ns = now_ns();
        for number in 0..order.messages {
            let due_ns = start_ns + u64::from(number) * self.gap_ns;
            if self.gap_ns > 0 {
                pace::wait_until(due_ns);
            }
            let message = &mut self.memory[..order.size_bytes as usize];
            let header = Header {
                batch: self.number,
                number,
                sent_ns: now_ns(),
            };
            header.write(message);
            self.link.socket.send(message)?;
        }
        let sending_ns = now_ns() - start_ns;
        self.link.control.write_all(&[DONE])?;
        let delivery = Delivery::receive(&mut self.link.control)?;
        Ok(Outcome {
            timing: Timing {
                start_ns,
                elapsed_ns: elapsed_ns(&delivery, sending_ns),
            },
            messages: delivery.received,
            delivery: Some((delivery, sending_ns)),
        })
    }

    /// The time of one message when they are sent as fast as the path takes them.
    pub(super) fn fastest_ns(&mut self, size_bytes: u64) -> io::Result<f64> {
        let few_ns = self.few_ns(size_bytes)?;
        let many = (PROBE_NS / few_ns).clamp(PROBE_MESSAGES.into(), MOST_PROBE_MESSAGES) as u32;
        let outcome = self.probe(size_bytes, many)?;
        if outcome.messages == 0 {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!(
                    "of {many} datagrams of {size_bytes} bytes to {} none arrived: a firewall drops them, or the path is broken",
                    peer(&self.link.socket)
                ),
            ));
        }
        Ok(one_ns(&outcome, many))
    }

    /// The time of one message of a few: that of sending it where none arrives.
    pub(super) fn few_ns(&mut self, size_bytes: u64) -> io::Result<f64> {
        let outcome = self.probe(size_bytes, PROBE_MESSAGES)?;
        Ok(one_ns(&outcome, PROBE_MESSAGES))
    }

    fn probe(&mut self, size_bytes: u64, messages: u32) -> io::Result<Outcome> {
        self.number += 1;
        // What the path takes, whatever the other end computes with it.
        let order = Order::unrecorded(Order::NO_PHASE, size_bytes, messages);
        order.announce(&mut self.orders)?;
        self.stream(order)
    }
}

fn one_ns(outcome: &Outcome, sent: u32) -> f64 {
    let messages = if outcome.messages == 0 {
        sent
    } else {
        outcome.messages
    };
    (outcome.timing.elapsed_ns as f64 / f64::from(messages)).max(1.0)
}

/// The time of all that arrived: n arrivals are n - 1 gaps apart. Of a single one only the sending is known.
fn elapsed_ns(delivery: &Delivery, sending_ns: u64) -> u64 {
    let arrived = u64::from(delivery.received);
    if arrived < 2 {
        return sending_ns;
    }
    (u128::from(delivery.span_ns) * u128::from(arrived) / u128::from(arrived - 1)) as u64
}
