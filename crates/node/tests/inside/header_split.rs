//! Received headers apart from payloads: what it spares, what it costs, and where it cannot be.

use weft_node::{Measured, measure};

use super::server::server;
use super::{CACHES, load, measured, pingpong, rate_mbps, stream};

const SPLIT: (&str, &str) = ("nic.header_split", "true");
const CHECKSUM: (&str, &str) = ("nic.checksum", "true");
/// Protocol processing that copies from buffer to buffer by words.
const COPIES: (&str, &str) = ("costs.protocol_accesses_per_byte", "0.37");
const NO_COLLISION: (&str, &str) = ("memory.collision", "0 ns");
/// The L1 for data, as the catalogue's machine lists its caches, and reads, of three kinds of access.
const L1D_READ: usize = 3;
const COUNTS: usize = 9;

fn busy_ps(found: &Measured, node: usize, processor: usize) -> f64 {
    let busy_ps: u64 = found.tallies[node].busy_ps[processor].iter().sum();
    busy_ps as f64 / found.messages as f64
}

#[test]
fn payloads_that_are_handed_on_spare_the_receiver_a_copy() {
    let machine = load("base", &[COPIES]).unwrap();
    let word_ps = machine.memory.access_ps() + 1e12 / machine.processors[0].clock_hz as f64;
    let copy_ps = machine.costs.protocol_accesses_per_byte * word_ps * 8000.0;
    let one_way_ps = |keys: &[_]| {
        measured(
            "base",
            &[&[COPIES, NO_COLLISION], keys].concat(),
            pingpong(8000),
        )
        .period_ps
            / 2.0
    };
    let spared_ps = one_way_ps(&[]) - one_way_ps(&[SPLIT]);
    let bus_ps = machine.io_bus.access_ps as f64;
    assert!(
        (spared_ps - (copy_ps - bus_ps)).abs() < 4.0,
        "{spared_ps} of {copy_ps}"
    );
    for (placement, processor) in [("base", 0), ("onload", 1)] {
        let [plain, split] = [&[COPIES][..], &[COPIES, SPLIT]]
            .map(|keys| measured(placement, keys, stream(1 << 16)));
        assert!(busy_ps(&split, 1, processor) < 0.8 * busy_ps(&plain, 1, processor));
        assert!(split.period_ps < plain.period_ps, "{placement}");
        // What is sent has no pages to hand on.
        let (before, after) = (busy_ps(&plain, 0, processor), busy_ps(&split, 0, processor));
        assert!(
            (after / before - 1.0).abs() < 0.03,
            "{placement}: {after} and {before}"
        );
    }
}

/// Two transfers instead of one, each of which must win the bus.
#[test]
fn a_split_frame_asks_for_the_bus_twice() {
    let isolated = [NO_COLLISION, ("costs.protocol_accesses_per_byte", "0")];
    let one_way_ps = |keys: &[(&str, &str)]| {
        measured("base", &[&isolated, keys].concat(), pingpong(100)).period_ps / 2.0
    };
    assert_eq!(one_way_ps(&[SPLIT]) - one_way_ps(&[]), 300e3);
    let free = ("io_bus.access", "0 ns");
    assert_eq!(one_way_ps(&[SPLIT, free]), one_way_ps(&[free]));
    let bridge = ("nic.location", "bridge");
    assert_eq!(one_way_ps(&[SPLIT, bridge]), one_way_ps(&[bridge]));
}

#[test]
fn protocol_processing_reads_headers_only() {
    let reads = |keys: &[(&str, &str)], processor: usize| {
        let found = measured(
            "onload",
            &[&[CACHES, COPIES], keys].concat(),
            stream(1 << 16),
        );
        let count = found.tallies[1].caches[processor * COUNTS + L1D_READ];
        let misses = (count.accesses - count.hits) as f64 / found.messages as f64;
        (count.accesses as f64 / found.messages as f64, misses)
    };
    let ((plain, plain_misses), (split, split_misses)) =
        (reads(&[CHECKSUM], 1), reads(&[CHECKSUM, SPLIT], 1));
    assert!(split < 0.5 * plain, "{split} and {plain}");
    assert!(
        split_misses < 0.2 * plain_misses,
        "{split_misses} and {plain_misses}"
    );
    // A checksum in software has to read what is handed on.
    let (checked, _) = reads(&[SPLIT], 1);
    let words = f64::from(1 << 16) / 4.0;
    assert!(
        (checked - split - words).abs() < 0.02 * words,
        "{checked} and {split}"
    );
    // The reader still copies all of it.
    let (reader, _) = reads(&[CHECKSUM, SPLIT], 0);
    assert!(reader > words, "{reader}");
    let base = |keys: &[_]| rate_mbps("base", &[&[CACHES, CHECKSUM], keys].concat());
    // No more: the sender is the limit now.
    assert!(base(&[SPLIT]) > base(&[]));
}

/// A page and headers take two pages together, and one apart.
#[test]
fn headers_take_no_page_of_the_payload() {
    let of = |keys: &[(&str, &str)]| {
        let mtu = ("nic.mtu_bytes", "4148");
        let machine = server("all", &[&[mtu], keys].concat());
        busy_ps(&measure(&machine, stream(128 << 10)).unwrap(), 1, 0)
    };
    assert!(of(&[SPLIT]) < 0.98 * of(&[]));
}

#[test]
fn merged_frames_are_split_too() {
    let merges = [
        CACHES,
        ("nic.mtu_bytes", "1500"),
        ("nic.merge", "64 kB"),
        ("nic.poll", "true"),
    ];
    for bytes in [1, 1448, 100_000] {
        let found = measured("base", &[&merges[..], &[SPLIT]].concat(), pingpong(bytes));
        assert_eq!(
            found,
            measured("base", &[&merges[..], &[SPLIT]].concat(), pingpong(bytes))
        );
    }
}

#[test]
fn an_interface_that_keeps_headers_to_itself_cannot_split() {
    for placement in ["offload", "hybrid"] {
        let message = load(placement, &[SPLIT]).unwrap_err();
        for part in [
            "nic.header_split",
            "\"nic\"",
            placement,
            "has it on the host",
        ] {
            assert!(message.contains(part), "{message}");
        }
        assert!(load(placement, &[("nic.header_split", "false")]).is_ok());
    }
    let message = load("base", &[("nic.header_split", "yes")]).unwrap_err();
    assert!(message.contains("nic.header_split"), "{message}");
}
