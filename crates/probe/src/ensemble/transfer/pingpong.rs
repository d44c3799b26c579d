//! A message there and back, again and again.

use std::io;

use weft_plan::StopRule;

use super::super::event_loop::line::Line;
use super::super::event_loop::reactor::{Interest, Reactor};
use super::shared::{Served, Shared};

use crate::system::clock::now_ns;

/// When there have been enough round trips.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// So many, or as many as fit into a time.
    Trips(u64, StopRule),
    Time(u64),
}

impl Limit {
    pub fn of(stop: &StopRule) -> Limit {
        match stop {
            StopRule::Count {
                repeats, trials, ..
            } => Limit::Trips(u64::from(*repeats) * u64::from(*trials), *stop),
            StopRule::Time {
                trial_ns, trials, ..
            } => Limit::Time(trial_ns * u64::from(*trials)),
        }
    }
}

/// How far a message has come in each direction.
struct Trip {
    size_bytes: u64,
    sent_bytes: u64,
    received_bytes: u64,
}

impl Trip {
    fn new(size_bytes: u64) -> Trip {
        Trip {
            size_bytes,
            sent_bytes: 0,
            received_bytes: 0,
        }
    }

    /// True when the whole message has been handed over.
    #[inline]
    fn send(
        &mut self,
        line: &mut Line,
        shared: &mut Shared,
        reactor: &Reactor,
    ) -> io::Result<bool> {
        while self.sent_bytes < self.size_bytes {
            let piece = shared
                .payload
                .piece(self.sent_bytes, self.size_bytes - self.sent_bytes);
            let Some(count) = line.write(piece)? else {
                line.want(Interest::Write, reactor)?;
                return Ok(false);
            };
            self.sent_bytes += count as u64;
            shared.moved.sent_bytes += count as u64;
        }
        Ok(true)
    }

    /// `Some(true)` when the whole message is there, `None` at the end of the connection.
    #[inline]
    fn receive(
        &mut self,
        line: &mut Line,
        shared: &mut Shared,
        reactor: &Reactor,
    ) -> io::Result<Option<bool>> {
        while self.received_bytes < self.size_bytes {
            let scratch = shared
                .payload
                .scratch(self.size_bytes - self.received_bytes);
            match line.read(scratch)? {
                None => {
                    line.want(Interest::Read, reactor)?;
                    return Ok(Some(false));
                }
                Some(0) => return Ok(None),
                Some(count) => {
                    shared.payload.check_scratch(self.received_bytes, count)?;
                    self.received_bytes += count as u64;
                    shared.moved.received_bytes += count as u64;
                }
            }
        }
        Ok(Some(true))
    }
}

/// The end that begins and takes the times.
pub struct Pinger {
    line: Line,
    pub dst: u32,
    trip: Trip,
    limit: Limit,
    trips: usize,
    trip_start_ns: u64,
    /// When the first round trip, which is thrown away, was over.
    warm_ns: Option<u64>,
}

impl Pinger {
    pub fn new(line: Line, dst: u32, size_bytes: u64, limit: Limit, trips: usize) -> Pinger {
        Pinger {
            line,
            dst,
            trip: Trip::new(size_bytes),
            limit,
            trips,
            trip_start_ns: 0,
            warm_ns: None,
        }
    }

    /// Go on until something has to be waited for.
    #[inline]
    pub fn serve(&mut self, shared: &mut Shared, reactor: &Reactor) -> io::Result<Served> {
        loop {
            if self.trip.sent_bytes == 0 {
                self.trip_start_ns = now_ns();
            }
            if !self.trip.send(&mut self.line, shared, reactor)? {
                return Ok(Served::Ongoing);
            }
            match self.trip.receive(&mut self.line, shared, reactor)? {
                Some(true) => {}
                Some(false) => return Ok(Served::Ongoing),
                None => return Err(ended()),
            }
            if self.end_trip(&mut shared.trips[self.trips].times) {
                self.line.finish();
                return Ok(Served::Finished);
            }
        }
    }

    /// True when it was the last round trip.
    #[inline]
    fn end_trip(&mut self, times: &mut Vec<(u64, u64)>) -> bool {
        let now_ns = now_ns();
        self.trip = Trip::new(self.trip.size_bytes);
        let Some(warm_ns) = self.warm_ns else {
            self.warm_ns = Some(now_ns);
            return false;
        };
        times.push((self.trip_start_ns, now_ns - self.trip_start_ns));
        match self.limit {
            Limit::Trips(most, stop) => {
                times.len() as u64 >= most || stop.is_over(now_ns - warm_ns)
            }
            Limit::Time(most_ns) => now_ns - warm_ns >= most_ns,
        }
    }
}

/// The end that returns every message.
pub struct Ponger {
    line: Line,
    pub src: u32,
    trip: Trip,
}

impl Ponger {
    pub fn new(line: Line, src: u32, size_bytes: u64) -> Ponger {
        Ponger {
            line,
            src,
            trip: Trip::new(size_bytes),
        }
    }

    /// Go on until something has to be waited for.
    #[inline]
    pub fn serve(&mut self, shared: &mut Shared, reactor: &Reactor) -> io::Result<Served> {
        loop {
            match self.trip.receive(&mut self.line, shared, reactor)? {
                Some(true) => {}
                Some(false) => return Ok(Served::Ongoing),
                None if self.trip.received_bytes == 0 => return Ok(Served::Finished),
                None => return Err(ended()),
            }
            if !self.trip.send(&mut self.line, shared, reactor)? {
                return Ok(Served::Ongoing);
            }
            self.trip = Trip::new(self.trip.size_bytes);
        }
    }
}

fn ended() -> io::Error {
    io::Error::new(
        io::ErrorKind::UnexpectedEof,
        "the connection ended in the middle of a round trip",
    )
}
