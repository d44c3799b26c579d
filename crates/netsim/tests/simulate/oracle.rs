//! The slow and obvious path: progressive filling, and all of it again after every event.

use weft_netsim::simulate::Transfers;

/// All rates rise together; where a constraint is full (or a cap reached) they stay. In bit/s.
pub fn rates(capacities: &[f64], transfers: &Transfers, runs: &[bool]) -> Vec<f64> {
    let mut rates: Vec<Option<f64>> = runs.iter().map(|runs| (!runs).then_some(0.0)).collect();
    loop {
        let level_at = |constraint: usize| {
            let crossing = |index: usize| {
                let times = transfers.route(index).iter();
                times.filter(|at| **at as usize == constraint).count() as f64
            };
            let used = (0..rates.len()).map(|i| rates[i].unwrap_or(0.0) * crossing(i));
            let open = (0..rates.len()).filter(|i| rates[*i].is_none());
            let weight: f64 = open.map(|i| crossing(i) * transfers.demand(i).weight).sum();
            (capacities[constraint] - used.sum::<f64>()) / weight
        };
        let levels: Vec<f64> = (0..capacities.len()).map(level_at).collect();
        let cap_level = |i: usize| transfers.demand(i).cap_bits_per_s / transfers.demand(i).weight;
        let own_level = |i: usize| {
            let limits = transfers.route(i).iter().map(|at| levels[*at as usize]);
            limits.fold(cap_level(i), f64::min)
        };
        let open = (0..rates.len()).filter(|i| rates[*i].is_none());
        let Some(level) = open.map(own_level).min_by(f64::total_cmp) else {
            return rates.into_iter().map(Option::unwrap_or_default).collect();
        };
        let own: Vec<_> = (0..rates.len()).map(own_level).collect();
        for index in 0..rates.len() {
            if rates[index].is_none() && own[index] <= level * (1.0 + 1e-13) {
                rates[index] = Some(own[index] * transfers.demand(index).weight);
            }
        }
    }
}

/// What is left of constraints when answers have taken what they need, which is no more than their fair share where
/// each counts as a stream: in turns from the whole capacities, until nothing can change any more.
pub fn left_by_answers(capacities: &[f64], transfers: &Transfers) -> Vec<f64> {
    let runs = vec![true; transfers.len()];
    let mut left = capacities.to_vec();
    for _ in 0..40 {
        let rates = rates(&left, transfers, &runs);
        let left_of = |at: usize| {
            let sum = |part: &dyn Fn(usize) -> f64| (0..transfers.len()).map(part).sum::<f64>();
            let times =
                |list: &[u32]| list.iter().filter(|one| **one as usize == at).count() as f64;
            let weight = |i: usize| transfers.demand(i).weight;
            let there = sum(&|i| times(transfers.route(i)) * weight(i));
            let back = sum(&|i| times(transfers.back(i)) * weight(i));
            let needed = sum(&|i| times(transfers.back(i)) * rates[i] * transfers.demand(i).back);
            match there > 0.0 {
                true => (capacities[at] - needed).max(capacities[at] * there / (there + back)),
                false => capacities[at],
            }
        };
        left = (0..capacities.len()).map(left_of).collect();
    }
    left
}

/// When each transfer ends, from one event to the next.
pub fn ends(capacities: &[f64], transfers: &Transfers) -> Vec<f64> {
    let count = transfers.len();
    let mut left: Vec<f64> = (0..count).map(|i| transfers.demand(i).bits).collect();
    let start = |i: usize| transfers.demand(i).start_s;
    let mut ends: Vec<f64> = (0..count).map(start).collect();
    let mut now = 0.0;
    loop {
        let runs: Vec<_> = (0..count)
            .map(|i| left[i] > 0.0 && start(i) <= now)
            .collect();
        let rates = rates(capacities, transfers, &runs);
        let end = |i: usize| match runs[i] {
            true => now + left[i] / rates[i],
            false => f64::INFINITY,
        };
        let begins = (0..count).map(start).filter(|start| *start > now);
        let next = (0..count)
            .map(&end)
            .chain(begins)
            .fold(f64::INFINITY, f64::min);
        if next == f64::INFINITY {
            return ends;
        }
        let projected: Vec<_> = (0..count).map(end).collect();
        for index in 0..count {
            if projected[index] <= next * (1.0 + 1e-13) {
                left[index] = 0.0;
                ends[index] = next;
            } else if runs[index] {
                left[index] -= rates[index] * (next - now);
            }
        }
        now = next;
    }
}
