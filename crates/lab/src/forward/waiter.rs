//! Waiting for frames or for a time, whichever is first, to the microsecond.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use crate::clock;
use crate::kernel::sys::check;

const EVENTS: usize = 64;

/// How long before a time is over a sleeper must be woken: the bounds of what is learnt.
const LEAST_EARLY_NS: u64 = 5_000;
const MOST_EARLY_NS: u64 = 40_000;

/// How long it looks for the next frame after the last one, instead of sleeping: waking a thread on an idle processor
/// takes longer than a short frame is on a Fast Ethernet link. Longer than a full frame takes there and back.
const ATTENTIVE_NS: u64 = 300_000;

/// Waits on the sockets of all ports.
pub struct Waiter {
    epoll: OwnedFd,
    ready: Vec<usize>,
    /// A timer of the kernel is late by this, most of the time; how much differs between machines.
    early_ns: u64,
    /// Whether there is a processor to spend on looking.
    may_look: bool,
    last_frame_ns: u64,
    /// How long nothing was to be done, since the start.
    idle_ns: u64,
}

impl Waiter {
    /// Watches descriptors; each is known by its position.
    pub fn new(fds: impl Iterator<Item = i32>) -> io::Result<Self> {
        // SAFETY: takes no pointers; the descriptor is ours alone.
        let epoll =
            unsafe { OwnedFd::from_raw_fd(check(libc::epoll_create1(libc::EPOLL_CLOEXEC))?) };
        for (position, fd) in fds.enumerate() {
            let mut event = libc::epoll_event {
                events: libc::EPOLLIN as u32,
                u64: position as u64,
            };
            // SAFETY: `event` is valid and only read.
            check(unsafe {
                libc::epoll_ctl(epoll.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &raw mut event)
            })?;
        }
        Ok(Self {
            epoll,
            ready: Vec::with_capacity(EVENTS),
            early_ns: MOST_EARLY_NS,
            may_look: std::thread::available_parallelism().is_ok_and(|count| count.get() > 1),
            last_frame_ns: 0,
            idle_ns: 0,
        })
    }

    /// Waits until a descriptor is readable or the time has come; returns the readable ones.
    pub fn wait(&mut self, until_ns: Option<u64>) -> &[usize] {
        self.ready.clear();
        loop {
            let from_ns = clock::now_ns();
            let slept = self.look_or_sleep(until_ns, from_ns);
            let now_ns = clock::now_ns();
            let is_over = !self.ready.is_empty() || until_ns.is_some_and(|until| until <= now_ns);
            // A look that found something at once is part of the work.
            if slept || !is_over {
                self.idle_ns += now_ns - from_ns;
            }
            if !self.ready.is_empty() {
                self.last_frame_ns = now_ns;
            }
            if is_over {
                return &self.ready;
            }
        }
    }

    /// How long nothing was to be done, since the start.
    pub fn idle_ns(&self) -> u64 {
        self.idle_ns
    }

    /// Looks once, or sleeps while there is time for that; returns whether it slept.
    fn look_or_sleep(&mut self, until_ns: Option<u64>, now_ns: u64) -> bool {
        let is_attentive = self.may_look && now_ns < self.last_frame_ns + ATTENTIVE_NS;
        match until_ns {
            None if !is_attentive => self.poll(None),
            Some(until_ns) if !is_attentive && until_ns > now_ns + self.early_ns => {
                self.sleep_until(until_ns - self.early_ns, now_ns);
            }
            // The rest is too short to sleep: look for frames, and at the clock.
            _ => {
                self.poll(Some(0));
                return false;
            }
        }
        true
    }

    /// Sleeps, and learns how late the kernel's timers are: half as much again is wide enough.
    fn sleep_until(&mut self, wake_ns: u64, now_ns: u64) {
        self.poll(Some(wake_ns - now_ns));
        if self.ready.is_empty() {
            let late_ns = clock::now_ns().saturating_sub(wake_ns);
            let wanted_ns = (late_ns * 3 / 2).clamp(LEAST_EARLY_NS, MOST_EARLY_NS);
            self.early_ns = (self.early_ns * 15 + wanted_ns) / 16;
        }
    }

    fn poll(&mut self, timeout_ns: Option<u64>) {
        let timeout = timeout_ns.map(clock::timespec);
        let timeout = timeout
            .as_ref()
            .map_or(std::ptr::null(), |timeout| &raw const *timeout);
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; EVENTS];
        let no_signals = std::ptr::null::<libc::sigset_t>();
        // SAFETY: `events` has room for EVENTS; the timeout is alive or null. Not through the C library,
        // whose older versions do not have it.
        let count = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                self.epoll.as_raw_fd(),
                events.as_mut_ptr(),
                EVENTS,
                timeout,
                no_signals,
                0,
            )
        };
        let count = usize::try_from(count).unwrap_or(0);
        self.ready
            .extend(events[..count].iter().map(|event| event.u64 as usize));
    }
}
