//! Whether every operation comes to its turn, whatever anything takes.
//!
//! An operation begins and ends, which are two events. What an event waits for is known beforehand, so that one which
//! never happens is found by taking away those that can, until none can any more (A. B. Kahn, Comm. ACM 5(11), 1962).
//! What is left waits in circles, or for one.

use super::{Action, Schedule, Until};

/// The most operations of a circle that are named.
const MOST_NAMED: usize = 8;

/// Two of an operation: its begin, then its end.
type Event = usize;

/// Names the operations that wait for each other in a circle, where there is one.
pub fn check(schedule: &Schedule) -> Result<(), String> {
    let waits = Waits { schedule };
    let left = waits.left();
    match left.iter().position(|count| *count > 0) {
        None => Ok(()),
        Some(event) => Err(waits.describe(&waits.circle(event, &left))),
    }
}

fn begin(operation: u32) -> Event {
    2 * operation as usize
}

fn end(operation: u32) -> Event {
    begin(operation) + 1
}

fn operation(event: Event) -> u32 {
    (event / 2) as u32
}

struct Waits<'a> {
    schedule: &'a Schedule,
}

impl Waits<'_> {
    /// The operation at the other end whose begin an operation's end waits for.
    fn awaits(&self, number: u32) -> Option<u32> {
        let waits = match self.schedule.operation(number).action {
            Action::Compute { .. } => false,
            Action::Receive(_) => true,
            Action::Send(message) => self.schedule.is_rendezvous(message.bytes),
        };
        self.schedule.partner(number).filter(|_| waits)
    }

    /// By event: how many others it still waits for when all that can has happened.
    fn left(&self) -> Vec<u32> {
        let begins = self.schedule.needs();
        let ends = (0..).take(begins.len());
        let ends = ends.map(|number| 1 + u32::from(self.awaits(number).is_some()));
        let mut left: Vec<u32> = begins
            .iter()
            .zip(ends)
            .flat_map(|(one, other)| [*one, other])
            .collect();
        let mut ready: Vec<Event> = (0..left.len()).filter(|event| left[*event] == 0).collect();
        while let Some(event) = ready.pop() {
            self.followers(event, |next| {
                left[next] -= 1;
                if left[next] == 0 {
                    ready.push(next);
                }
            });
        }
        left
    }

    /// Shows the events that wait for one.
    fn followers(&self, event: Event, mut show: impl FnMut(Event)) {
        let number = operation(event);
        let is_begin = event == begin(number);
        let until = if is_begin { Until::Begun } else { Until::Ended };
        for dependent in self.schedule.dependents(number) {
            if dependent.until == until {
                show(begin(dependent.operation));
            }
        }
        if !is_begin {
            return;
        }
        show(end(number));
        let partner = self.schedule.partner(number);
        if let Some(partner) = partner.filter(|partner| self.awaits(*partner).is_some()) {
            show(end(partner));
        }
    }

    /// Follows what an event that never happens waits for until that comes again.
    fn circle(&self, from: Event, left: &[u32]) -> Vec<Event> {
        let mut before = vec![usize::MAX; left.len()];
        for event in (0..left.len()).filter(|event| left[*event] > 0) {
            self.followers(event, |next| before[next] = event);
        }
        let mut order = vec![usize::MAX; left.len()];
        let mut way = Vec::new();
        let mut event = from;
        while order[event] == usize::MAX {
            order[event] = way.len();
            way.push(event);
            event = before[event];
        }
        way.split_off(order[event])
    }

    fn describe(&self, circle: &[Event]) -> String {
        let mut operations: Vec<u32> = circle.iter().map(|event| operation(*event)).collect();
        operations.dedup();
        if operations.len() > 1 && operations.first() == operations.last() {
            operations.pop();
        }
        let named = |number: &u32| self.schedule.named(*number);
        let mut names: Vec<String> = operations.iter().take(MOST_NAMED).map(named).collect();
        if operations.len() > MOST_NAMED {
            names.push(format!("{} more", operations.len() - MOST_NAMED));
        }
        names.push(named(&operations[0]));
        format!("deadlock: {}", names.join(" waits for "))
    }
}
