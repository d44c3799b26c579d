//! Takes frames from the hosts' ports, holds each for its time on the links, and sends it on.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use weft_fabric::Span;
use weft_fabric::queue::Schedule;

use crate::address::Interface;
use crate::clock;
use crate::forward::changes::ChangeReceiver;
use crate::forward::frame::{Frame, FramePool};
use crate::forward::links::Links;
use crate::forward::meter::Meter;
use crate::forward::packet_socket::{BATCH, PacketSocket};
use crate::forward::stats::Stats;
use crate::forward::waiter::Waiter;

/// A frame on its way.
struct Journey {
    frame: Frame,
    from: usize,
    to: usize,
    /// Which way it takes between the switches.
    span: Span,
    /// How many links it has passed.
    step: usize,
}

/// Which host is at which port.
struct Directory {
    interfaces: Vec<Interface>,
    ports: HashMap<Interface, usize>,
}

/// Everything between the hosts of a lab.
pub struct Forwarder {
    sockets: Vec<PacketSocket>,
    directory: Directory,
    links: Links,
    changes: ChangeReceiver,
    waiter: Waiter,
    schedule: Schedule<Journey>,
    pool: FramePool,
    /// Frames that are due, by port.
    outgoing: Vec<Vec<Frame>>,
    /// The ports that have such frames.
    departing: Vec<usize>,
    stats: Arc<Stats>,
}

impl Forwarder {
    /// A forwarder between sockets, one for each port of the plant, which lead to the interfaces.
    pub fn new(
        sockets: Vec<PacketSocket>,
        interfaces: Vec<Interface>,
        links: Links,
        changes: ChangeReceiver,
        frame_bytes: usize,
        stats: Arc<Stats>,
    ) -> io::Result<Self> {
        let fds = sockets.iter().map(PacketSocket::fd);
        Ok(Self {
            waiter: Waiter::new(fds.chain([changes.fd()]))?,
            outgoing: sockets.iter().map(|_| Vec::with_capacity(BATCH)).collect(),
            departing: Vec::with_capacity(sockets.len()),
            directory: Directory::new(interfaces),
            schedule: Schedule::new(),
            pool: FramePool::new(frame_bytes),
            sockets,
            links,
            changes,
            stats,
        })
    }

    /// The descriptors of its sockets.
    pub fn sockets(&self) -> Vec<i32> {
        self.sockets.iter().map(PacketSocket::fd).collect()
    }

    /// Forwards for ever.
    pub fn run(mut self) -> ! {
        let mut ready = Vec::new();
        let mut meter = Meter::new(clock::now_ns());
        loop {
            let now_ns = self.release_due();
            meter.note(now_ns, self.waiter.idle_ns(), &self.stats);
            ready.extend_from_slice(self.waiter.wait(self.schedule.next_due_ns()));
            for port in ready.drain(..) {
                match port < self.sockets.len() {
                    true => self.receive(port),
                    false => self.change_links(),
                }
            }
        }
    }

    fn change_links(&mut self) {
        for (link, conditions) in self.changes.take() {
            self.links.set(link, conditions);
        }
    }

    fn receive(&mut self, port: usize) {
        let offset_ns = clock::realtime_offset_ns();
        let Self {
            sockets,
            directory,
            pool,
            links,
            schedule,
            stats,
            ..
        } = self;
        sockets[port].receive(pool, |pool, frame, arrival_ns| {
            let arrival_ns = arrival_ns.saturating_sub(offset_ns);
            let link = links.link_at(0, port, port, Span::default());
            let passed = link.and_then(|link| link.take(arrival_ns, frame.bytes(), port));
            match passed {
                Some(due_ns) => directory.address((links, schedule, pool), port, frame, due_ns),
                None => {
                    stats.count_dropped(1);
                    pool.put(frame);
                }
            }
        });
    }

    /// Sends what has arrived where it is for; returns the time that was taken for now.
    fn release_due(&mut self) -> u64 {
        let now_ns = clock::now_ns();
        while let Some((due_ns, journey)) = self.schedule.take_due(now_ns) {
            self.advance(journey, due_ns, now_ns);
        }
        while let Some(port) = self.departing.pop() {
            self.flush(port);
        }
        now_ns
    }

    /// Takes a frame that has passed a link to the next one, or out.
    fn advance(&mut self, mut journey: Journey, due_ns: u64, now_ns: u64) {
        let Journey {
            from,
            to,
            span,
            step,
            ..
        } = journey;
        let Some(link) = self.links.link_at(step, from, to, span) else {
            self.stats.count_forwarded(now_ns - due_ns);
            if self.outgoing[to].is_empty() {
                self.departing.push(to);
            }
            self.outgoing[to].push(journey.frame);
            return;
        };
        match link.take(due_ns, journey.frame.bytes(), from) {
            Some(next_ns) => {
                journey.step += 1;
                self.schedule.add(next_ns, journey);
            }
            None => {
                self.stats.count_dropped(1);
                self.pool.put(journey.frame);
            }
        }
    }

    fn flush(&mut self, port: usize) {
        for frames in self.outgoing[port].chunks(BATCH) {
            let sent = self.sockets[port].send(frames);
            self.stats.count_dropped((frames.len() - sent) as u64);
        }
        for frame in self.outgoing[port].drain(..) {
            self.pool.put(frame);
        }
    }
}

impl Directory {
    fn new(interfaces: Vec<Interface>) -> Self {
        let numbered = interfaces.iter().enumerate();
        Self {
            ports: numbered
                .map(|(port, interface)| (*interface, port))
                .collect(),
            interfaces,
        }
    }

    /// Sends a frame that has passed its sender's link to its destination.
    fn address(
        &self,
        (links, schedule, pool): (&mut Links, &mut Schedule<Journey>, &mut FramePool),
        from: usize,
        frame: Frame,
        due_ns: u64,
    ) {
        let mut journey = |frame: Frame, to| Journey {
            span: links.span(from, to, frame.bytes(), due_ns),
            frame,
            from,
            to,
            step: 1,
        };
        let receiver = frame.destination().and_then(Interface::of_mac);
        match receiver.and_then(|receiver| self.ports.get(&receiver)) {
            Some(&to) if self.are_joined(from, to) => schedule.add(due_ns, journey(frame, to)),
            Some(_) => pool.put(frame),
            // A broadcast, or an unknown address: to all other ports, as a switch does.
            None => {
                for to in (0..self.interfaces.len()).filter(|to| *to != from) {
                    if self.are_joined(from, to) {
                        schedule.add(due_ns, journey(pool.copy(&frame), to));
                    }
                }
                pool.put(frame);
            }
        }
    }

    fn are_joined(&self, from: usize, to: usize) -> bool {
        self.interfaces[from].network == self.interfaces[to].network
    }
}
