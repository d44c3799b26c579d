//! A multi-drop chain: each node that receives forwards, a chunk behind.
//!
//! A node holds no more than some chunks, so all links of a chain run at the rate of the slowest: to the solver the
//! chain is one transfer that crosses the constraints of all of its links, each as often as it has links over it.

use weft_plan::{Pattern, Step, Transfer};

use crate::network::Path;
use crate::simulate::Interrupted;

use super::chain::chains;
use super::outcome::{Batches, Common, PhaseOutcome};
use super::setup::Setup;

pub fn run(
    setup: &mut Setup<'_>,
    common: Common<'_>,
    transfers: &[Transfer],
    outcome: &mut PhaseOutcome,
) -> Result<(), Interrupted> {
    setup.clear();
    let mut placed: Vec<(Vec<Transfer>, Vec<Path>)> = Vec::new();
    for links in chains(transfers) {
        match setup.add_joined(&links, links[0].bytes) {
            Some(paths) => placed.push((links, paths)),
            None => links.iter().for_each(|link| outcome.fail(link)),
        }
    }
    let solved = outcome.solve(setup, common)?;
    for (index, (links, paths)) in placed.iter().enumerate() {
        let chain = Chain {
            links,
            paths,
            chunk_bytes: chunk_bytes(common.step, links[0].bytes),
            first_end_s: solved.end_s[index],
            bottleneck: solved.bottleneck[index],
        };
        chain.add_rows(setup, outcome);
    }
    if common.keep.loads {
        outcome.add_arrived_loads(setup, &solved);
    }
    Ok(())
}

fn chunk_bytes(step: &Step, bytes: u64) -> u64 {
    match &step.pattern {
        Pattern::Cast(cast) => cast.chunk_bytes.min(bytes),
        _ => bytes,
    }
}

/// A chain whose rate is known.
struct Chain<'a> {
    links: &'a [Transfer],
    paths: &'a [Path],
    chunk_bytes: u64,
    /// When the last bit leaves the first node.
    first_end_s: f64,
    bottleneck: u32,
}

impl Chain<'_> {
    /// Each node forwards a chunk when it is complete. Chunks follow each other at the rate of the slowest link of the
    /// chain, but each crosses a link at that link's own rate.
    fn add_rows(&self, setup: &Setup<'_>, outcome: &mut PhaseOutcome) {
        let (mut chunk_s, mut slowest_s) = (0.0, 0.0_f64);
        let mut latency_s = 0.0;
        for (link, path) in self.links.iter().zip(self.paths) {
            let own_latency_s = setup.latency_s(path, self.chunk_bytes);
            let own_s = setup.paced_s(path, self.chunk_bytes);
            latency_s += own_latency_s;
            chunk_s += own_s;
            slowest_s = slowest_s.max(own_s);
            let end_s = self.first_end_s + latency_s + (chunk_s - slowest_s);
            if end_s == f64::INFINITY {
                outcome.fail(link);
                continue;
            }
            let batches = Batches {
                count: 1,
                size_bytes: link.bytes,
                messages: 1,
                start_s: 0.0,
                elapsed_s: end_s,
                bottleneck: self.bottleneck,
            };
            outcome.add_batches(link, batches);
        }
    }
}
