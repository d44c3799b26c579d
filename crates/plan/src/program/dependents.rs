//! What waits for an operation, for all of them in one list.

use super::Until;

/// An operation that cannot begin before another has begun or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependent {
    pub operation: u32,
    pub until: Until,
}

/// By operation those that wait for it.
#[derive(Clone, Debug)]
pub struct Dependents {
    /// By operation, and one more: where its dependents begin.
    from: Vec<u32>,
    all: Vec<Dependent>,
}

impl Dependents {
    /// Of so many operations; `each` gives, as often as it is called, what an operation is waited for by.
    pub fn of<I: Iterator<Item = (u32, Dependent)>>(count: usize, each: impl Fn() -> I) -> Self {
        let mut counts = vec![0usize; count];
        each().for_each(|(on, _)| counts[on as usize] += 1);
        let from = starts(counts.into_iter());
        let mut free = from.clone();
        let nothing = Dependent {
            operation: 0,
            until: Until::Ended,
        };
        let mut all = vec![nothing; *from.last().unwrap_or(&0) as usize];
        for (on, dependent) in each() {
            let at = &mut free[on as usize];
            all[*at as usize] = dependent;
            *at += 1;
        }
        Self { from, all }
    }

    pub fn of_one(&self, operation: u32) -> &[Dependent] {
        let [from, to] = [operation, operation + 1].map(|at| self.from[at as usize]);
        &self.all[from as usize..to as usize]
    }
}

/// Where each of these lengths begins, and where the last ends.
pub fn starts(lengths: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut end = 0;
    let ends = lengths.map(|length| {
        end += length as u32;
        end
    });
    std::iter::once(0).chain(ends).collect()
}
