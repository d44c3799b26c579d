//! A web server under so many users, batch by batch.

use weft_netsim::samples::{PhaseOutcome, Row};
use weft_netsim::table;
use weft_plan::{Phase, Step, Webserver};

use crate::engine::{Failure, Load, Pair, Visits};
use crate::machine::Machine;
use crate::occupation::{busiest, shares};
use crate::steady::is_within;

/// Batches over which the interval is taken, at least and at most.
const LEAST_BATCHES: usize = 10;
const MOST_BATCHES: usize = 40;
/// Enough when the interval of the time of a page reaches no further than this part of it: users think at random.
const TIGHT: f64 = 0.01;
const BATCH_PAGES: u64 = 500;

table! {
    /// What each batch gave, by column: a row for each.
    pub struct Responses {
        phase: i32,
        batch: i32,
        users: i32,
        /// Users waiting for a page, on average over the batch's time.
        waiting: f64,
        /// From a request to the last byte of its page.
        mean_ns: f64,
        median_ns: f64,
        p95_ns: f64,
        p99_ns: f64,
    }
}

impl Responses {
    fn add(&mut self, phase: u32, batch: usize, users: u32, visits: &Visits) {
        let times_ps = &visits.responses_ps;
        // The smallest time that so many per cent of the pages did not exceed.
        let rank = |percent: usize| {
            let index = (times_ps.len() * percent).div_ceil(100).max(1) - 1;
            times_ps[index] as f64 / 1e3
        };
        let sum_ps: f64 = times_ps.iter().map(|time_ps| *time_ps as f64).sum();
        self.phase.push(phase as i32);
        self.batch.push(batch as i32);
        self.users.push(users as i32);
        self.waiting.push(visits.waiting);
        self.mean_ns.push(sum_ps / times_ps.len() as f64 / 1e3);
        self.median_ns.push(rank(50));
        self.p95_ns.push(rank(95));
        self.p99_ns.push(rank(99));
    }
}

/// Serves until the time of a page is known closely, warm-up left out.
pub fn serve(machine: &Machine, load: Load) -> Result<Vec<Visits>, Failure> {
    let machine = load.on(machine);
    let mut pair = Pair::of_users(&machine, load);
    // All users began by thinking: the first pages come too slowly, those after them in a rush.
    pair.visits(2 * u64::from(load.users).max(BATCH_PAGES))?;
    let mut batches: Vec<Visits> = Vec::new();
    while batches.len() < MOST_BATCHES {
        batches.push(pair.visits(BATCH_PAGES)?);
        let times_ps: Vec<_> = batches.iter().map(|one| one.elapsed_ps as f64).collect();
        if batches.len() >= LEAST_BATCHES && is_within(&times_ps, TIGHT) {
            break;
        }
    }
    Ok(batches)
}

/// What a phase of a step asks for.
pub fn load_of(step: &Step, server: &Webserver, phase: &Phase) -> Load {
    let users = step.pattern.load_of(phase.index).unwrap_or(1.0) as u32;
    Load {
        users,
        think_ps: server.think_ns.saturating_mul(1000),
        request_bytes: server.request_bytes,
        page_bytes: phase.size_bytes,
        work_cycles: server.work_cycles,
        nodelay: step.options.nodelay,
        // Other users think other times, the same ones the same again.
        seed: u64::from(server.seed) << 32 | u64::from(users),
    }
}

/// Adds a phase's rows: the pages of a batch go from the server to the users.
pub fn add_rows(
    batches: &[Visits],
    phase: &Phase,
    users: u32,
    rows: &mut PhaseOutcome,
    responses: &mut Responses,
) {
    let ends = phase.transfers[1];
    for (batch, visits) in batches.iter().enumerate() {
        let elapsed_s = visits.elapsed_ps as f64 / 1e12;
        let shares = shares(&visits.tally);
        let row = Row {
            batch: batch as u32,
            src: ends.src,
            dst: ends.dst,
            size_bytes: phase.size_bytes,
            messages: visits.pages as u32,
            start_s: rows.span_s,
            elapsed_s,
            // The server is the second node.
            bottleneck: shares.len() as u32 + busiest(shares),
        };
        rows.rows.push(phase.index, row);
        rows.span_s += elapsed_s;
        rows.events += visits.events;
        rows.fingerprint.add_word(visits.fingerprint);
        responses.add(phase.index, batch, users, visits);
    }
}
