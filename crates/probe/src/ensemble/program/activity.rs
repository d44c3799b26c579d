//! What a member did with its time, from the begin of a program to the end of its own last operation.

use serde::Serialize;

/// A stretch of time on this node's clock.
pub type Span = (u64, u64);

/// The time of a member in one execution of a program, in ns on the run's clock; what is neither is waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Activity {
    pub start_ns: i64,
    pub end_ns: i64,
    /// It computes.
    pub compute_ns: u64,
    /// It does not; a message leaves it, or is on its way to it.
    pub communicate_ns: u64,
}

impl Activity {
    /// Of spans that may overlap. Sorts them.
    pub fn of(
        whole: Span,
        computing: &mut [Span],
        moving: &mut Vec<Span>,
        shift_ns: i64,
    ) -> Activity {
        let compute_ns = covered(whole, computing);
        moving.extend_from_slice(computing);
        Activity {
            start_ns: whole.0 as i64 + shift_ns,
            end_ns: whole.1 as i64 + shift_ns,
            compute_ns,
            communicate_ns: covered(whole, moving) - compute_ns,
        }
    }
}

/// How much of a span others cover.
fn covered((start, end): Span, spans: &mut [Span]) -> u64 {
    spans.sort_unstable();
    let (mut until, mut sum) = (start, 0);
    for (from, to) in spans {
        let (from, to) = ((*from).max(until), (*to).min(end));
        if to > from {
            sum += to - from;
            until = to;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computing_hides_messages_and_what_is_outside_does_not_count() {
        let mut computing = [(30, 40), (35, 50)];
        let mut moving = vec![(45, 60), (0, 15), (90, 200)];
        let found = Activity::of((10, 100), &mut computing, &mut moving, 1000);
        // Computes from 30 to 50; messages from 10 to 15, 50 to 60 and 90 to 100.
        assert_eq!((found.compute_ns, found.communicate_ns), (20, 25));
        assert_eq!((found.start_ns, found.end_ns), (1010, 1100));
    }
}
