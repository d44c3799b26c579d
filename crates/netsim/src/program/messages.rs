//! A message from its send to its receive.

use weft_plan::Transfer;
use weft_plan::program::Until;

use super::activity::Doing;
use super::events::Event;
use super::play::{Failure, Play, State};

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

    /// Gives a message to what lets it out.
    pub(super) fn offer(&mut self, send: u32) -> Result<(), Failure> {
        let outlet = self.outlet(send);
        match self.outlets[outlet as usize].begins(send) {
            true => self.let_out(send),
            false => Ok(()),
        }
    }

    fn let_out(&mut self, send: u32) -> Result<(), Failure> {
        let receive = self.partner(send);
        let message = self.transfer(send);
        let (src, dst) = (message.src, message.dst);
        let Some((path, demand)) = self.setup.seek_message(&message) else {
            return Err(self.no_way(send));
        };
        self.sent[send as usize].way_s = self.setup.way_s(&path, message.bytes);
        if let Some(rotation) = self.rotation {
            for list in self.setup.lists() {
                rotation.stand_in(list);
            }
        }
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
        let outlet = self.outlet(send);
        if self.costs.gap_s == 0.0 {
            return self.let_next_out(outlet);
        }
        let free_s = now_s + self.costs.gap_s;
        self.events.add(free_s, Event::Free { outlet });
        Ok(())
    }

    pub(super) fn let_next_out(&mut self, outlet: u32) -> Result<(), Failure> {
        match self.outlets[outlet as usize].next() {
            Some(send) => self.let_out(send),
            None => Ok(()),
        }
    }

    /// What a send lets out, between hosts.
    pub(super) fn transfer(&self, send: u32) -> Transfer {
        let message = self.message(send);
        let ends = [self.schedule.node(send), message.peer];
        let [src, dst] = ends.map(|node| self.hosts[node as usize]);
        Transfer::new(src, dst, message.bytes)
    }

    pub(super) fn no_way(&self, send: u32) -> Failure {
        Failure::NoWay {
            src: self.schedule.node(send),
            dst: self.message(send).peer,
        }
    }
}
