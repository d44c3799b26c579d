//! Messages as datagrams: without windows or acknowledgements, and lost where there is no room.

use super::datagrams::{Place, Sent};
use super::job::{Frame, Header};
use super::observe::Watch;
use super::pair::{Failure, Pair};
use super::process::Operation;
use crate::machine::Task;

impl<W: Watch> Pair<'_, W> {
    /// The first node sends so many datagrams, this long apart at least; goes on until each is read or lost.
    pub fn send_datagrams(&mut self, messages: u64, gap_ps: u64) -> Result<Sent, Failure> {
        self.sending = Sent {
            left: messages,
            before: self.sending.before + self.sending.messages,
            gap_ps,
            due_ps: self.now_ps,
            began_ps: self.now_ps,
            ..Sent::default()
        };
        self.begin_operation(0, self.place(Task::Application));
        let all = self.sending.before + messages;
        while self.settled() < all {
            let settled = self.settled();
            self.go_on_until(|pair| pair.settled() > settled)?;
        }
        Ok(self.sending.clone())
    }

    /// Datagrams that the second node has read, or that were lost on the way to it.
    fn settled(&self) -> u64 {
        self.read[1] + self.lost(1).iter().sum::<u64>()
    }

    /// Datagrams that were lost on the way to a node, by place.
    pub fn lost(&self, at: usize) -> [u64; Place::ALL.len()] {
        let datagrams = self.nodes[at].datagrams.as_ref();
        datagrams.map_or([0; Place::ALL.len()], |one| one.lost)
    }

    /// Whether a node sends a stream of datagrams, of which the next is not to begin yet.
    pub(super) fn holds_back(&mut self, at: usize) -> bool {
        let is_stream = self.nodes[at].datagrams.is_some() && self.exchange.answer_bytes == 0;
        if at != 0 || !is_stream {
            return false;
        }
        let slot = self.users_slot();
        let sending = &mut self.sending;
        if sending.left > 0 && sending.due_ps > self.now_ps {
            self.calendar.set(slot, sending.due_ps);
            return true;
        }
        if sending.left == 0 {
            return true;
        }
        sending.left -= 1;
        sending.messages += 1;
        sending.due_ps += sending.gap_ps;
        sending.at_ps.push(self.now_ps);
        false
    }

    /// All fragments of what was written go on their way.
    pub(super) fn transmit_datagram(&mut self, at: usize, processor: usize) {
        let next = |pair: &mut Self| pair.nodes[at].datagrams.as_mut()?.next_fragment();
        while let Some((payload_bytes, header, is_last)) = next(self) {
            self.send_frame(at, processor, 0, payload_bytes, header, is_last);
        }
    }

    /// The last bit of a frame has left the interface. A writer that waits is woken, by an interrupt, when there is room.
    pub(super) fn datagram_left(&mut self, at: usize, frame: Frame) {
        let node = &mut self.nodes[at];
        let Some(datagrams) = &mut node.datagrams else {
            return;
        };
        datagrams.leave(frame.payload_bytes);
        let is_writing = matches!(node.process.operation(), Operation::Write(_));
        if is_writing && node.process.sleeps && datagrams.wakes_writer() {
            let processor = self.place(Task::Interrupt);
            self.call(at, processor);
            self.wake(at, processor);
        }
    }

    /// Whether a frame may wait for protocol processing on the host.
    pub(super) fn joins_backlog(&mut self, at: usize) -> bool {
        let most = self.machine.sockets.backlog_frames;
        let Some(datagrams) = &mut self.nodes[at].datagrams else {
            return true;
        };
        let has_room = datagrams.backlog < most;
        datagrams.backlog += u32::from(has_room);
        has_room
    }

    pub(super) fn leave_backlog(&mut self, at: usize) {
        if let Some(datagrams) = &mut self.nodes[at].datagrams {
            datagrams.backlog = datagrams.backlog.saturating_sub(1);
        }
    }

    pub(super) fn lose(&mut self, at: usize, frame: Frame, place: Place) {
        let node = &mut self.nodes[at];
        if let (Some(datagrams), Header::Udp { datagram, .. }) = (&mut node.datagrams, frame.header)
        {
            datagrams.lose(datagram, place);
        }
        if let (Some(touches), Place::Backlog) = (&mut node.touches, place) {
            touches.forget_frame();
        }
    }

    /// Protocol processing is done with a fragment, and it is in the host's memory.
    pub(super) fn deliver_datagram(&mut self, at: usize, processor: usize, frame: Frame) {
        let node = &mut self.nodes[at];
        let Some(datagrams) = &mut node.datagrams else {
            return;
        };
        let first = datagrams.kept_bytes;
        let taken = datagrams.take(frame);
        if let (Some(touches), 1..) = (&mut node.touches, taken.discarded_bytes) {
            touches.discard(frame.flow, first, taken.discarded_bytes);
        }
        let is_reading = matches!(node.process.operation(), Operation::Read(_));
        if taken.is_whole && is_reading && node.process.sleeps {
            self.wake(at, processor);
        }
    }

    /// The process goes on with the datagram that it has read.
    pub(super) fn datagram_read(&mut self, at: usize) {
        let Some(datagrams) = &self.nodes[at].datagrams else {
            return;
        };
        let index = datagrams.last_read - self.sending.before;
        if let Some(sent_ps) = self.sending.at_ps.get(index as usize).copied() {
            self.sending.arrive(sent_ps, self.now_ps);
        }
    }
}
