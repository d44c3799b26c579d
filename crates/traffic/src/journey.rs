//! All domains in one process: the same steps and the same exchange as between nodes, without messages.

use std::sync::Arc;

use crate::census::Census;
use crate::domain::Domain;
use crate::partition::Partition;
use crate::scenario::Scenario;

/// What a step was for a domain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepOf {
    /// Cars that passed the end of a link.
    pub passed: u64,
    /// By neighbour: which, and the length of the message to it.
    pub messages: Vec<(u32, u64)>,
}

/// All domains at the same second.
#[derive(Clone, Debug)]
pub struct Journey {
    domains: Vec<Domain>,
}

impl Journey {
    /// So many domains of the whole map, from the start to a second as one.
    pub fn new(scenario: &Arc<Scenario>, domains: u32, from_second: u32) -> Self {
        let mut whole = Domain::whole(scenario);
        (0..from_second).for_each(|_| whole.advance());
        Self::of(&whole, domains)
    }

    /// So many domains of what is one.
    pub fn of(whole: &Domain, domains: u32) -> Self {
        let partition = Arc::new(Partition::of(whole.scenario(), domains));
        let domain = |number| whole.part(&partition, number);
        Self {
            domains: (0..domains).map(domain).collect(),
        }
    }

    /// The next step.
    pub fn advance(&mut self) {
        self.domains.iter_mut().for_each(Domain::advance);
        for from in 0..self.domains.len() {
            let borders = self.domains[from].take_borders();
            for border in &borders {
                let told = self.domains[border.with as usize].hear(from as u32, border);
                told.expect("domains of one partition share the links that they tell of");
            }
            self.domains[from].give_back(borders);
        }
    }

    /// What the last step was for each domain, where a car takes so many bytes of a message.
    pub fn last_step(&self, car_bytes: u64) -> Vec<StepOf> {
        let of = |domain: &Domain| StepOf {
            passed: domain.passed(),
            messages: domain
                .borders()
                .iter()
                .map(|border| (border.with, border.bytes(car_bytes)))
                .collect(),
        };
        self.domains.iter().map(of).collect()
    }

    /// Cars that passed the end of a link in the last step.
    pub fn passed(&self) -> u64 {
        self.domains.iter().map(Domain::passed).sum()
    }

    /// Where all cars are.
    pub fn census(&self) -> Census {
        let censuses = self.domains.iter().map(Domain::census);
        censuses.fold(Census::default(), Census::with)
    }
}
