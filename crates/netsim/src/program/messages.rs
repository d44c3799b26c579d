//! A message from its send to its receive.

use weft_plan::Transfer;
use weft_plan::program::Until;

use super::activity::Doing;
use super::events::Event;
use super::play::{Delivery, Failure, Play, State};

impl Play<'_> {
    /// Begins a receive.
    pub(super) fn post(&mut self, receive: u32) -> Result<(), Failure> {
        self.release(receive, Until::Begun);
        if self.states[receive as usize] == State::Met {
            self.end(receive);
            return Ok(());
        }
        self.states[receive as usize] = State::Posted;
        let send = self.partner(receive);
        match self.states[send as usize] {
            State::Withheld => self.offer(send),
            _ => Ok(()),
        }
    }

    /// Gives a message to its interface.
    pub(super) fn offer(&mut self, send: u32) -> Result<(), Failure> {
        let interface = self.interface(send);
        match self.interfaces[interface as usize].begins(send) {
            true => self.let_out(send),
            false => Ok(()),
        }
    }

    fn let_out(&mut self, send: u32) -> Result<(), Failure> {
        let receive = self.partner(send);
        let [src, dst] = [send, receive].map(|one| self.hosts[self.schedule.node(one) as usize]);
        let message = Transfer::new(src, dst, self.bytes(send));
        let Some((path, demand)) = self.setup.seek_message(&message) else {
            return Err(self.no_way(send));
        };
        self.sent[send as usize].way_s = self.setup.way_s(&path, message.bytes);
        let route = self.setup.route();
        self.flows
            .begin(send, (src, dst), route, demand, self.now_s);
        let now_s = self.now_s;
        self.meter(send).begin(Doing::Communicating, now_s);
        self.meter(receive).begin(Doing::Communicating, now_s);
        if !self.is_rendezvous(send) {
            self.end(send);
        }
        Ok(())
    }

    /// A message's last bit has left.
    pub(super) fn leave(&mut self, send: u32) -> Result<(), Failure> {
        let now_s = self.now_s;
        self.meter(send).end(Doing::Communicating, now_s);
        if self.is_rendezvous(send) {
            self.end(send);
        }
        let way_s = self.sent[send as usize].way_s;
        self.events.add(now_s + way_s, Event::Arrived { send });
        let interface = self.interface(send);
        if self.costs.gap_s == 0.0 {
            return self.let_next_out(interface);
        }
        let free_s = now_s + self.costs.gap_s;
        self.events.add(free_s, Event::Free { interface });
        Ok(())
    }

    pub(super) fn let_next_out(&mut self, interface: u32) -> Result<(), Failure> {
        match self.interfaces[interface as usize].next() {
            Some(send) => self.let_out(send),
            None => Ok(()),
        }
    }

    pub(super) fn deliver(&mut self, send: u32) {
        let sent = self.sent[send as usize];
        let delivery = Delivery {
            src: self.schedule.node(send),
            dst: self.schedule.node(self.partner(send)),
            bytes: self.bytes(send),
            start_s: sent.began_s,
            end_s: self.now_s,
            bottleneck: sent.bottleneck,
        };
        (self.tell)(delivery);
    }

    pub(super) fn no_way(&self, send: u32) -> Failure {
        Failure::NoWay {
            src: self.schedule.node(send),
            dst: self.schedule.node(self.partner(send)),
        }
    }
}
