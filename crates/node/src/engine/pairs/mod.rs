//! Several pairs of processes between two nodes at once, each over a connection of its own.

mod interfaces;

use super::flows::Route;
use super::observe::{Unwatched, Watch};
use super::pair::{Failure, Pair};
use super::process::{Exchange, Process};
use crate::machine::{Machine, Task};

impl<'a> Pair<'a> {
    /// A connection for each route, which ends after so many messages or round trips; the frames of all go over all interfaces in turn where these are bonded.
    pub fn of_routes(
        machine: &'a Machine,
        exchange: Exchange,
        routes: Vec<Route>,
        is_bonded: bool,
        messages: usize,
    ) -> Self {
        let mut pair = Self::idle(machine, exchange, Unwatched);
        pair.is_bonded = is_bonded;
        for at in 0..2 {
            let process = |route: &Route| {
                let own = Exchange {
                    message_bytes: route.message_bytes,
                    answer_bytes: route.answer_bytes,
                    ..exchange
                };
                Process::new(own, route.begins == at).ending_after(messages as u64)
            };
            pair.nodes[at].carry(routes.iter().map(process).collect());
        }
        pair.routes = routes;
        for at in 0..2 {
            for flow in 0..pair.routes.len() as u32 {
                pair.nodes[at].turn_to(flow);
                pair.acting = at;
                pair.begin_operation(at, pair.place(Task::Application));
            }
            pair.wind_timer(at);
        }
        pair
    }

    /// Goes on until each connection has had so many messages or round trips; when each of them ended.
    pub fn go_on_for(&mut self, messages: usize) -> Result<Vec<Vec<u64>>, Failure> {
        let least = |pair: &Self| pair.ends_ps().map(<[u64]>::len).min().unwrap_or(0);
        while least(self) < messages {
            let before = self.read;
            self.go_on_until(|pair| pair.read != before)?;
        }
        Ok(self.ends_ps().map(<[u64]>::to_vec).collect())
    }

    fn ends_ps(&self) -> impl Iterator<Item = &[u64]> {
        let routes = self.routes.iter().enumerate();
        routes.map(|(flow, route)| &self.nodes[route.reader()].flows.ends_ps[flow][..])
    }
}

impl<W: Watch> Pair<'_, W> {
    pub(super) fn route(&self, flow: u32) -> Option<&Route> {
        self.routes.get(flow as usize)
    }

    /// Where a task is done for the connection and the interface that something happens to now: a process is where the
    /// plan binds it, and what follows an interrupt where that goes; tasks that are placed elsewhere stay there. Behind a
    /// driver domain each process has a guest of its own, with its protocol processing.
    pub(super) fn place(&self, task: Task) -> usize {
        let placement = &self.machine.placement;
        let usual = placement.of(task);
        let leader = match task {
            Task::Application | Task::Copy => Task::Application,
            Task::Protocol if self.machine.driver_domain.is_some() => Task::Application,
            _ => Task::Interrupt,
        };
        let bound = match leader {
            Task::Application => {
                let flow = self.nodes[self.acting].flows.current();
                self.route(flow).map(|route| route.processor)
            }
            _ => self.machine.interfaces[self.interface].interrupt,
        };
        match bound {
            Some(processor) if usual == placement.of(leader) => processor,
            _ => usual,
        }
    }
}
