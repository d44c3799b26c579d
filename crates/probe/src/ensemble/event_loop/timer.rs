//! A clock that rings in the event loop, finer than the milliseconds in which that counts its sleep.

use std::io;
use std::os::fd::OwnedFd;

use rustix::event::Timespec;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};

use super::reactor::{Interest, Key, Reactor};

const NS_PER_S: u64 = 1_000_000_000;

pub struct Timer(OwnedFd);

impl Timer {
    pub fn watch(reactor: &Reactor) -> io::Result<Timer> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        reactor.watch(&timer, Key::Timer, Interest::Read)?;
        Ok(Timer(timer))
    }

    /// Ring once, at a time of this node's clock.
    pub fn ring_at(&self, at_ns: u64) -> io::Result<()> {
        let never = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let at = Timespec {
            tv_sec: (at_ns / NS_PER_S) as i64,
            tv_nsec: (at_ns % NS_PER_S) as i64,
        };
        let once = Itimerspec {
            it_interval: never,
            it_value: at,
        };
        timerfd_settime(&self.0, TimerfdTimerFlags::ABSTIME, &once)?;
        Ok(())
    }

    /// It has rung.
    pub fn reset(&self) {
        // It fails only when it has not rung.
        let _ = rustix::io::read(&self.0, &mut [0_u8; 8]);
    }
}
