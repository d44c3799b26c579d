//! A multi-drop chain: whoever receives sends on, a chunk behind.
//!
//! A node holds no more than some chunks, so all links of a chain run at the rate of the slowest: to the solver the
//! chain is one transfer that crosses the constraints of all of its links, each as often as it has links over it.

use weft_plan::{Pattern, Phase, Transfer};

use crate::network::Way;
use crate::simulate::Interrupted;

use super::chain::chains;
use super::columns::Row;
use super::phase::{Common, PhaseOutcome};
use super::setup::Setup;

pub fn run(
    setup: &mut Setup<'_>,
    common: Common<'_>,
    phase: &Phase,
    transfers: &[Transfer],
    outcome: &mut PhaseOutcome,
) -> Result<(), Interrupted> {
    setup.transfers.clear();
    let mut placed: Vec<(Vec<Transfer>, Vec<Way>)> = Vec::new();
    for links in chains(transfers) {
        match setup.add_joined(&links, links[0].bytes) {
            Some(ways) => placed.push((links, ways)),
            None => links.iter().for_each(|link| outcome.fail(link)),
        }
    }
    let capacities = setup.network.capacities();
    let settings = common.settings(setup);
    let solved = setup.solver.ends(capacities, &setup.transfers, settings)?;
    outcome.fingerprint.add(&solved);
    outcome.idle_s = solved.idle_s;
    outcome.events = solved.events;
    for (index, (links, ways)) in placed.iter().enumerate() {
        let chunk_bytes = match &common.step.pattern {
            Pattern::Cast(cast) => cast.chunk_bytes.min(links[0].bytes),
            _ => links[0].bytes,
        };
        let part = chunk_bytes as f64 / links[0].bytes.max(1) as f64;
        let chunk_s = solved.end_s[index] * part;
        let mut behind_s = 0.0;
        for (link, way) in links.iter().zip(ways) {
            behind_s += setup.latency_s(way, chunk_bytes);
            let end_s = solved.end_s[index] + behind_s;
            behind_s += chunk_s;
            if end_s == f64::INFINITY {
                outcome.fail(link);
                continue;
            }
            outcome.span_s = outcome.span_s.max(end_s);
            let row = Row {
                batch: 0,
                src: link.src,
                dst: link.dst,
                size_bytes: link.bytes,
                messages: 1,
                start_s: 0.0,
                elapsed_s: end_s,
                bottleneck: solved.bottleneck[index],
            };
            outcome.rows.push(phase.index, row);
        }
    }
    if common.with_loads {
        let bits = |index: usize| match solved.end_s[index].is_finite() {
            true => setup.transfers.demand(index).bits,
            false => 0.0,
        };
        outcome.add_loads(setup, bits, outcome.span_s);
    }
    Ok(())
}
