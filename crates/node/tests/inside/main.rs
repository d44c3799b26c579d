//! Two nodes from the outside: what must hold whatever a machine is like.

mod applications;
mod caches;
mod closed_form;
mod datagrams;
mod effects;
mod effects_of_caches;
mod failures;
mod header_split;
mod large_sends;
mod laws;
mod mpi;
mod plain;
mod refusals;
mod refused_caches;
mod server;
#[path = "../../../plan/tests/support/table.rs"]
mod table;
mod watched;
mod webserver;

use weft_node::{Carrier, Exchange, Machine, Measured, measure};
use weft_plan::Grain;

pub const CATALOGUE: &str = include_str!("../../../../catalog/machines/p4-400.toml");
/// Has the catalogue's machine compute its caches.
pub const CACHES: (&str, &str) = ("memory.model", "caches");
pub const PLACEMENTS: [&str; 4] = ["base", "offload", "onload", "hybrid"];

/// The catalogue's machine with some keys changed.
pub fn machine(placement: &str, overrides: &[(&str, &str)]) -> Machine {
    load(placement, overrides).unwrap()
}

pub fn load(placement: &str, overrides: &[(&str, &str)]) -> Result<Machine, String> {
    load_text(CATALOGUE, placement, overrides)
}

pub fn load_text(
    text: &str,
    placement: &str,
    overrides: &[(&str, &str)],
) -> Result<Machine, String> {
    let owned: Vec<_> = overrides
        .iter()
        .map(|(key, value)| (key.to_string(), value.to_string()))
        .collect();
    let machine = Machine::load(text, "m.toml", Some(placement), &owned);
    machine.map_err(|error| error.to_string())
}

/// What is said of a machine, the last of whose keys cannot be: one line with the file and so much.
pub fn refuse(overrides: &[(&str, &str)], expected: &str) {
    let message = load("base", overrides).unwrap_err();
    assert!(message.contains(expected), "{overrides:?}: {message}");
    assert!(
        message.starts_with("m.toml") && !message.contains('\n'),
        "{message}"
    );
}

pub fn pingpong(bytes: u64) -> Exchange {
    Exchange {
        message_bytes: bytes,
        answer_bytes: bytes,
        nodelay: true,
        compute: Grain::Read,
        carrier: Carrier::Tcp,
    }
}

pub fn stream(bytes: u64) -> Exchange {
    Exchange {
        message_bytes: bytes,
        answer_bytes: 0,
        nodelay: true,
        compute: Grain::Read,
        carrier: Carrier::Tcp,
    }
}

pub fn measured(placement: &str, overrides: &[(&str, &str)], exchange: Exchange) -> Measured {
    measure(&machine(placement, overrides), exchange).unwrap()
}

/// One way, in microseconds.
pub fn latency_us(placement: &str, overrides: &[(&str, &str)]) -> f64 {
    measured(placement, overrides, pingpong(1)).period_ps / 2e6
}

/// Of a stream of 64 KiB messages.
pub fn rate_mbps(placement: &str, overrides: &[(&str, &str)]) -> f64 {
    const BYTES: u64 = 1 << 16;
    let measured = measured(placement, overrides, stream(BYTES));
    BYTES as f64 * 8.0 / measured.period_ps * 1e6
}
