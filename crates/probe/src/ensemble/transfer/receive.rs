//! The receiving end of a stream.

use std::io;

use super::super::event_loop::line::Line;
use super::shared::{Served, Shared, TURN_BYTES};

use crate::system::clock::now_ns;

/// A receiver is woken when so much has come, or a trial's last byte. Waking for every frame would cost a machine that
/// carries many nodes most of its time.
const WAKE_BYTES: u64 = 16 << 10;

/// Counts what comes.
pub struct Receiver {
    line: Line,
    pub src: u32,
    tally: usize,
    received_bytes: u64,
    /// Bytes of a trial and the number of trials; none when the sender ends by its clock.
    expected: Option<(u64, u32)>,
    /// Whether either end closes by a reset when its time is up, which frees the port at once.
    pub may_reset: bool,
    trials_over: u32,
    wake_bytes: u64,
}

impl Receiver {
    pub fn new(
        line: Line,
        src: u32,
        tally: usize,
        expected: Option<(u64, u32)>,
        may_reset: bool,
    ) -> io::Result<Receiver> {
        let mut receiver = Receiver {
            line,
            src,
            tally,
            received_bytes: 0,
            expected,
            may_reset,
            trials_over: 0,
            wake_bytes: 1,
        };
        receiver.choose_wake()?;
        Ok(receiver)
    }

    /// Read what is there, up to a limit.
    #[inline]
    pub fn serve(&mut self, shared: &mut Shared) -> io::Result<Served> {
        let turn_end = self.received_bytes + TURN_BYTES;
        while self.received_bytes < turn_end {
            if self.end_trials(shared) {
                return Ok(Served::Finished);
            }
            let asked = self.left_of_trial_bytes();
            let scratch = shared.payload.scratch(asked);
            let asked = scratch.len();
            match self.line.read(scratch) {
                Err(error) if self.may_reset && error.kind() == io::ErrorKind::ConnectionReset => {
                    return self.end();
                }
                Err(error) => return Err(error),
                Ok(None) => break,
                Ok(Some(0)) => return self.end(),
                Ok(Some(count)) => {
                    shared.payload.check_scratch(self.received_bytes, count)?;
                    self.received_bytes += count as u64;
                    shared.moved.received_bytes += count as u64;
                    shared.tallies[self.tally].count(count as u64);
                    if count < asked {
                        break;
                    }
                }
            }
        }
        if self.end_trials(shared) {
            return Ok(Served::Finished);
        }
        self.choose_wake()?;
        Ok(Served::Ongoing)
    }

    /// No byte that ends a trial may lie waiting.
    #[inline]
    fn choose_wake(&mut self) -> io::Result<()> {
        let wake_bytes = self.left_of_trial_bytes().clamp(1, WAKE_BYTES);
        if wake_bytes != self.wake_bytes {
            self.line.wake_at(wake_bytes)?;
            self.wake_bytes = wake_bytes;
        }
        Ok(())
    }

    fn left_bytes(&self) -> u64 {
        match self.expected {
            Some((bytes, trials)) => bytes * u64::from(trials) - self.received_bytes,
            None => u64::MAX,
        }
    }

    /// Reading ends with a trial, so that its end is seen.
    #[inline]
    fn left_of_trial_bytes(&self) -> u64 {
        match self.expected {
            Some((bytes, _)) => bytes * u64::from(self.trials_over + 1) - self.received_bytes,
            None => u64::MAX,
        }
    }

    /// Note the trials whose last byte has come; true when it was the last trial.
    #[inline]
    fn end_trials(&mut self, shared: &mut Shared) -> bool {
        let Some((bytes, trials)) = self.expected else {
            return false;
        };
        while self.trials_over < trials
            && self.received_bytes >= bytes * u64::from(self.trials_over + 1)
        {
            shared.tallies[self.tally].end_trial(self.trials_over, now_ns());
            self.trials_over += 1;
        }
        self.trials_over == trials
    }

    /// The sender has closed its side, which only a timed one may do here.
    fn end(&self) -> io::Result<Served> {
        match self.expected {
            None => Ok(Served::Finished),
            Some(_) => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("the connection ended {} bytes early", self.left_bytes()),
            )),
        }
    }
}
