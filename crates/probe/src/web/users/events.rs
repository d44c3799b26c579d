//! What wakes the users' loop: connections that have something, and a time to the nanosecond.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};

const EVENTS: usize = 256;
const TIMER: u64 = u64::MAX;
const NS_PER_S: u64 = 1_000_000_000;

pub struct Events {
    epoll: OwnedFd,
    timer: OwnedFd,
    found: Vec<Event>,
    spins: bool,
}

impl Events {
    /// One that spins does not sleep.
    pub fn new(spins: bool) -> io::Result<Events> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        epoll::add(&epoll, &timer, EventData::new_u64(TIMER), EventFlags::IN)?;
        Ok(Events {
            epoll,
            timer,
            found: Vec::with_capacity(EVENTS),
            spins,
        })
    }

    /// Tell of a user's socket whenever something has arrived.
    pub fn watch(&self, socket: impl AsFd, user: usize) -> io::Result<()> {
        let data = EventData::new_u64(user as u64);
        Ok(epoll::add(&self.epoll, socket, data, EventFlags::IN)?)
    }

    /// Sleep until something arrives, at most until a time on CLOCK_MONOTONIC.
    pub fn wait(&mut self, until_ns: u64) -> io::Result<()> {
        let timeout = self.spins.then_some(Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        });
        if !self.spins {
            // A timer that is set anew has not expired.
            let at = Itimerspec {
                it_interval: timespec(0),
                it_value: timespec(until_ns),
            };
            timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &at)?;
        }
        self.found.clear();
        let spare = rustix::buffer::spare_capacity(&mut self.found);
        match epoll::wait(&self.epoll, spare, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The users that something arrived for, by their place among those found.
    pub fn user(&self, place: usize) -> Option<Option<usize>> {
        let event = self.found.get(place)?;
        let user = event.data.u64();
        Some((user != TIMER).then_some(user as usize))
    }
}

fn timespec(ns: u64) -> Timespec {
    Timespec {
        tv_sec: (ns / NS_PER_S) as i64,
        tv_nsec: (ns % NS_PER_S) as i64,
    }
}
