//! The traffic of nodes as a program: what each computes in a step, and its messages to its neighbours.

use std::sync::atomic::{AtomicBool, Ordering};

use weft_plan::Traffic;
use weft_plan::program::{Action, Message, Program, Rounds};

use crate::census::Census;
use crate::journey::{Journey, StepOf};

/// A program of some steps, and what all of them were.
#[derive(Clone, Debug)]
pub struct Sampled {
    pub program: Program,
    /// How many steps there were, one a second.
    pub seconds: u32,
    /// How many steps the program has, the first, and every so-many-th after it.
    pub steps: u32,
    pub every: u32,
    /// Of all steps.
    pub messages: u64,
    pub bytes: u64,
    pub passed: u64,
    /// Where cars are behind the last.
    pub census: Census,
}

/// Makes all steps, and a program of as many as its messages allow; nothing once it is to stop.
pub fn sample(
    traffic: &Traffic,
    mut journey: Journey,
    domains: u32,
    stop: &AtomicBool,
) -> Option<Sampled> {
    let mut rounds = Rounds::new(domains as usize);
    let mut found = Sampled {
        program: Program::default(),
        seconds: traffic.seconds,
        steps: 0,
        every: 1,
        messages: 0,
        bytes: 0,
        passed: 0,
        census: Census::default(),
    };
    for step in 0..traffic.seconds {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        journey.advance();
        let domains = journey.last_step(traffic.car_bytes);
        if step == 0 {
            found.every = every(traffic, &domains);
        }
        if step % found.every == 0 {
            add(&mut rounds, traffic, &domains);
            found.steps += 1;
        }
        for one in &domains {
            found.passed += one.passed;
            found.messages += one.messages.len() as u64;
            found.bytes += one.messages.iter().map(|(_, bytes)| bytes).sum::<u64>();
        }
    }
    found.census = journey.census();
    found.program = rounds.end();
    Some(found)
}

/// A program of all steps would have too many messages, which all steps have as many of.
fn every(traffic: &Traffic, domains: &[StepOf]) -> u32 {
    let messages: u64 = domains.iter().map(|one| one.messages.len() as u64).sum();
    let all = messages * u64::from(traffic.seconds);
    all.div_ceil(u64::from(traffic.messages)).max(1) as u32
}

fn add(rounds: &mut Rounds, traffic: &Traffic, domains: &[StepOf]) {
    for (domain, step) in (0..).zip(domains) {
        let ns = traffic.compute_ns(step.passed);
        rounds.add(domain, [Action::Compute { ns }]);
        let message = |(peer, bytes): (u32, u64)| Message {
            peer,
            bytes,
            tag: 0,
        };
        let sends = step.messages.iter().copied().map(message).map(Action::Send);
        let receives = step.messages.iter().map(|(peer, _)| {
            let back = domains[*peer as usize].messages.iter();
            let bytes = back
                .filter(|(to, _)| *to == domain)
                .map(|(_, bytes)| *bytes)
                .sum();
            Action::Receive(message((*peer, bytes)))
        });
        rounds.add(domain, sends.chain(receives));
    }
}
