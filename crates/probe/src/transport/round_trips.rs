//! Round trips of which some may get lost: one that does not come to its end is given up, counted, and not timed.

use std::io;
use std::time::Duration;

use crate::system::clock::now_ns;
use crate::transport::batches::{Outcome, Timing};
use crate::transport::delivery::Delivery;
use crate::transport::order::Order;

/// How long the first reply may take: nothing is known yet of the path.
const FIRST_REPLY_WITHIN: Duration = Duration::from_secs(1);
/// Later ones get so many times the mean round trip before, but not less than the scheduler may take.
const REPLY_FACTOR: u32 = 8;
const LEAST_REPLY_WITHIN: Duration = Duration::from_millis(20);

/// Something that can send a message there and back.
pub trait Trip {
    /// Where messages go and over what, in words.
    fn path(&self) -> String;

    /// Have a reply that takes longer count as lost.
    fn set_patience(&mut self, within: Duration) -> io::Result<()>;

    /// Send a message of `size_bytes` with a mark and wait for its reply; false when it did not come in time.
    /// What came but was no reply to it is added to `others`.
    fn go(&mut self, size_bytes: usize, mark: u16, others: &mut u32) -> io::Result<bool>;
}

/// Batches of round trips over one path.
pub struct Trips {
    reply_within: Duration,
    /// Nothing back for so long, and the peer has failed.
    patience: Duration,
    mark: u16,
    /// Whether anything ever came back.
    heard: bool,
}

impl Trips {
    pub fn new(patience: Duration) -> Trips {
        Trips {
            reply_within: FIRST_REPLY_WITHIN,
            patience,
            mark: 0,
            heard: false,
        }
    }

    /// Run a batch to its last message.
    pub fn run(&mut self, trip: &mut impl Trip, order: Order) -> io::Result<Outcome> {
        trip.set_patience(self.reply_within)?;
        let mut delivery = Delivery::default();
        let mut given_up_ns = 0;
        let start_ns = now_ns();
        let mut alive_ns = start_ns;
        while delivery.received < order.messages {
            let sent_ns = now_ns();
            delivery.sent += 1;
            self.mark = self.mark.wrapping_add(1);
            let size_bytes = order.size_bytes as usize;
            if trip.go(size_bytes, self.mark, &mut delivery.duplicated)? {
                delivery.received += 1;
                self.heard = true;
                alive_ns = sent_ns;
            } else {
                given_up_ns += now_ns() - sent_ns;
                self.check_alive(alive_ns, trip)?;
            }
        }
        let elapsed_ns = now_ns() - start_ns - given_up_ns;
        let round_trip = Duration::from_nanos(elapsed_ns / u64::from(order.messages.max(1)));
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

    fn check_alive(&self, alive_ns: u64, trip: &impl Trip) -> io::Result<()> {
        if Duration::from_nanos(now_ns() - alive_ns) < self.patience {
            return Ok(());
        }
        let path = trip.path();
        let patience_s = self.patience.as_secs_f64();
        let message = if self.heard {
            format!(
                "nothing came back for {patience_s} s from {path}: the path loses everything by now, or the peer is stopped"
            )
        } else {
            format!(
                "nothing ever came back from {path}, within {patience_s} s: a firewall drops it, the path is broken, or the peer is stopped"
            )
        };
        Err(io::Error::new(io::ErrorKind::TimedOut, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// A path that loses every third message, or all of them.
    struct Leaky {
        messages: u32,
        loses_all: bool,
        reply_within: Duration,
    }

    impl Trip for Leaky {
        fn path(&self) -> String {
            "nowhere".to_owned()
        }

        fn set_patience(&mut self, within: Duration) -> io::Result<()> {
            self.reply_within = within;
            Ok(())
        }

        fn go(&mut self, _: usize, _: u16, _: &mut u32) -> io::Result<bool> {
            self.messages += 1;
            let is_lost = self.loses_all || self.messages % 3 == 0;
            if is_lost {
                thread::sleep(LEAST_REPLY_WITHIN);
            }
            Ok(!is_lost)
        }
    }

    #[test]
    fn what_is_lost_is_counted_and_not_timed() {
        let mut path = Leaky {
            messages: 0,
            loses_all: false,
            reply_within: Duration::ZERO,
        };
        let order = Order::unrecorded(0, 1, 4);
        let mut trips = Trips::new(Duration::from_secs(5));
        let outcome = trips.run(&mut path, order).unwrap();
        let (delivery, _) = outcome.delivery.unwrap();
        assert_eq!((delivery.sent, delivery.received), (5, 4));
        assert!(outcome.timing.elapsed_ns < LEAST_REPLY_WITHIN.as_nanos() as u64);
        trips.run(&mut path, order).unwrap();
        assert_eq!(path.reply_within, LEAST_REPLY_WITHIN);
    }

    #[test]
    fn a_way_that_never_answered_is_told_from_one_that_stopped() {
        let mut path = Leaky {
            messages: 0,
            loses_all: true,
            reply_within: Duration::ZERO,
        };
        let order = Order::unrecorded(0, 1, 1);
        let mut trips = Trips::new(Duration::from_millis(30));
        let said = trips.run(&mut path, order).unwrap_err().to_string();
        assert!(
            said.starts_with("nothing ever came back from nowhere"),
            "{said}"
        );
        path.loses_all = false;
        trips.run(&mut path, order).unwrap();
        path.loses_all = true;
        let said = trips.run(&mut path, order).unwrap_err().to_string();
        assert!(said.contains("nothing came back for 0.03 s"), "{said}");
    }
}
