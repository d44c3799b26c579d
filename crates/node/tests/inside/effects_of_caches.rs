//! Each parameter of caches changes results in the direction that it must; and where they are arithmetic, exactly.

use weft_node::{Count, Load, Measured, serve};

use super::{CACHES, CATALOGUE, PLACEMENTS, load, load_text, machine, measured, pingpong, stream};

/// Kinds of access, as counts have them.
const READ: usize = 0;
const WRITE: usize = 1;
const FETCH: usize = 2;
/// As the catalogue's machine lists them.
const L1I: usize = 0;
const L1D: usize = 1;
const L2: usize = 2;
/// Each write is waited for.
const NO_BUFFER: (&str, &str) = ("memory.write_buffer", "0");

fn with<'a>(overrides: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    [&[CACHES], overrides].concat()
}

fn round_trip_ps(placement: &str, overrides: &[(&str, &str)], bytes: u64) -> f64 {
    measured(placement, &with(overrides), pingpong(bytes)).period_ps
}

fn count(found: &Measured, node: usize, processor: usize, cache: usize, access: usize) -> Count {
    found.tallies[node].caches[(processor * 3 + cache) * 3 + access]
}

fn hit_rate(found: &Measured, processor: usize, cache: usize, access: usize) -> f64 {
    let one = count(found, 0, processor, cache, access);
    one.hits as f64 / one.accesses as f64
}

#[test]
fn slower_caches_and_larger_footprints_take_longer() {
    for (key, slow, fast, bytes) in [
        ("memory.latency", "300 ns", "50 ns", 1),
        ("memory.latency", "300 ns", "50 ns", 100_000),
        ("memory.caches.L1I.read", "10 ns", "1 ns", 1),
        ("memory.caches.L1D.read", "10 ns", "1 ns", 1),
        ("memory.caches.L1D.write", "10 ns", "1 ns", 1),
        ("memory.caches.L2.read", "40 ns", "10 ns", 100_000),
        ("memory.caches.L2.write", "40 ns", "10 ns", 1),
        ("memory.caches.L1D.size", "1 KiB", "64 KiB", 1000),
        ("memory.caches.L1I.size", "1 KiB", "64 KiB", 1),
        ("memory.caches.L2.size", "32 KiB", "4 MiB", 1_000_000),
        ("memory.caches.L1D.policy", "through", "back", 1000),
        ("footprints.instruction_bytes", "6", "2", 1),
        ("footprints.packet", "1 KiB", "64 B", 1),
        ("costs.accesses_per_cycle", "0.6", "0.1", 1),
        ("costs.copy_accesses_per_byte", "1", "0.25", 100_000),
        ("costs.protocol_accesses_per_byte", "1", "0.25", 100_000),
        ("nic.checksum", "false", "true", 100_000),
        ("costs.driver", "1000", "100", 1),
    ] {
        let [slow_ps, fast_ps] =
            [slow, fast].map(|value| round_trip_ps("base", &[NO_BUFFER, (key, value)], bytes));
        assert!(
            slow_ps > fast_ps,
            "{key} at {bytes} B: {slow_ps} and {fast_ps}"
        );
    }
}

#[test]
fn what_a_processor_keeps_costs_when_its_cache_is_small() {
    for key in [
        "stack",
        "interrupt",
        "driver",
        "descriptor",
        "socket",
        "process",
    ] {
        let key = format!("footprints.{key}");
        let [large, small] = ["4 KiB", "64 B"].map(|bytes| {
            let overrides = [("memory.caches.L1D.size", "1 KiB"), (key.as_str(), bytes)];
            round_trip_ps("base", &overrides, 1)
        });
        assert!(large > small, "{key}: {large} and {small}");
    }
}

#[test]
fn reads_are_cheaper_than_writes_through() {
    let [many, few] =
        ["0.9", "0.1"].map(|reads| round_trip_ps("base", &[("footprints.reads", reads)], 1));
    assert!(many < few, "{many} and {few}");
}

/// With the same accesses, a level that takes so much longer keeps processors busy for exactly that longer for each.
#[test]
fn time_is_accesses_times_latency() {
    let at = |key, value| {
        let overrides = [("memory.collision", "0 ns"), NO_BUFFER, (key, value)];
        measured("base", &with(&overrides), pingpong(2000))
    };
    let busy_ps = |found: &Measured| {
        let busy = found.tallies.iter().flat_map(|tally| &tally.busy_ps[0]);
        busy.sum::<u64>() as f64 / found.messages as f64
    };
    for (cache, access, key, slow, fast, extra_ps) in [
        (L1I, FETCH, "memory.caches.L1I.read", "6 ns", "5 ns", 1e3),
        (L1D, READ, "memory.caches.L1D.read", "8 ns", "7.5 ns", 500.0),
        (
            L1D,
            WRITE,
            "memory.caches.L1D.write",
            "8 ns",
            "7.5 ns",
            500.0,
        ),
        (
            L2,
            WRITE,
            "memory.caches.L2.write",
            "13.5 ns",
            "12.5 ns",
            1e3,
        ),
    ] {
        let (slow, fast) = (at(key, slow), at(key, fast));
        let counts = (0..2).map(|node| count(&fast, node, 0, cache, access).accesses);
        let expected_ps = counts.sum::<u64>() as f64 / fast.messages as f64 * extra_ps;
        let found_ps = busy_ps(&slow) - busy_ps(&fast);
        assert!(
            (found_ps / expected_ps - 1.0).abs() < 1e-3,
            "{key}: {found_ps} and {expected_ps}"
        );
    }
}

/// Without latencies there is nothing to wait for, whoever remembers what.
#[test]
fn caches_without_latency_are_memory_without_latency() {
    let mean = [
        ("memory.hit", "0 ns"),
        ("memory.miss", "0 ns"),
        ("memory.collision", "0 ns"),
    ];
    let caches = [
        ("memory.caches.L1I.read", "0 ns"),
        ("memory.caches.L1D.read", "0 ns"),
        ("memory.caches.L1D.write", "0 ns"),
        ("memory.caches.L2.read", "0 ns"),
        ("memory.caches.L2.write", "0 ns"),
        ("memory.latency", "0 ns"),
        ("memory.collision", "0 ns"),
        ("nic.hit", "0 ns"),
        ("nic.miss", "0 ns"),
    ];
    for placement in PLACEMENTS {
        for bytes in [1, 5000, 300_000] {
            let plain = measured(placement, &mean, pingpong(bytes));
            let found = measured(placement, &with(&caches), pingpong(bytes));
            let ratio = found.period_ps / plain.period_ps;
            assert!((ratio - 1.0).abs() < 1e-3, "{placement} {bytes}: {ratio}");
        }
    }
}

/// A processor goes on while its writes do; it still waits for all that it reads.
#[test]
fn room_for_writes_spares_waiting_for_them() {
    for bytes in [1, 20_000] {
        let of = |room| round_trip_ps("base", &[("memory.write_buffer", room)], bytes);
        let times_ps = ["0", "1", "24", "1000"].map(of);
        assert!(
            times_ps.is_sorted_by(|less, more| less >= more),
            "{times_ps:?}"
        );
        assert!(times_ps[0] > 1.1 * times_ps[2], "{times_ps:?}");
        let no_writes = [
            ("memory.caches.L1D.write", "0 ns"),
            ("memory.caches.L2.write", "0 ns"),
        ];
        assert!(times_ps[3] > 0.99 * round_trip_ps("base", &no_writes, bytes));
    }
}

#[test]
fn what_fits_hits() {
    let of =
        |bytes, overrides: &[(&str, &str)]| measured("base", &with(overrides), pingpong(bytes));
    let roomy = [
        ("memory.caches.L1D.size", "2 MiB"),
        ("memory.caches.L2.size", "4 MiB"),
    ];
    let written = |bytes| {
        let without = [("memory.caches.L1D.allocate", "false")];
        hit_rate(&of(bytes, &without), 0, L1D, WRITE)
    };
    assert!(written(1000) > written(1_000_000) + 0.1);
    let large = of(1_000_000, &[]);
    let middle = of(100_000, &[]);
    assert!(hit_rate(&middle, 0, L2, READ) > hit_rate(&large, 0, L2, READ));
    assert!(hit_rate(&of(1_000_000, &roomy), 0, L1D, READ) > hit_rate(&large, 0, L1D, READ));
    // Code fits, once it has been there.
    let code = of(1, &[("memory.caches.L1I.size", "64 KiB")]);
    assert_eq!(hit_rate(&code, 0, L1I, FETCH), 1.0);
    // What the interface wrote is nowhere: a word of each line of a stream misses, of some sixteen.
    assert!(hit_rate(&large, 0, L1D, READ) < 0.97);
}

#[test]
fn processors_that_share_data_take_it_from_each_other() {
    let of = |placement, shared| {
        let overrides = [("memory.caches.L2.shared", shared)];
        measured(placement, &with(&overrides), pingpong(20_000))
    };
    // cpu1 writes what cpu0 reads: with an L2 for both it is there.
    let (apart, both) = (of("onload", "false"), of("onload", "true"));
    assert!(hit_rate(&both, 0, L2, READ) > hit_rate(&apart, 0, L2, READ) + 0.05);
    assert!(both.period_ps < apart.period_ps);
    // With one processor it does not matter whose it is.
    assert_eq!(of("base", "true").period_ps, of("base", "false").period_ps);
    let idle = count(&of("base", "false"), 0, 1, L1D, READ);
    assert_eq!(idle.accesses, 0);
}

#[test]
fn the_interface_s_own_processor_has_its_own_memory() {
    let of = |key, value| round_trip_ps("offload", &[(key, value)], 1);
    assert!(of("nic.hit_rate", "0.8") > of("nic.hit_rate", "0.99"));
    assert_eq!(of("memory.hit_rate", "0.9"), of("nic.hit_rate", "0.9"));
    let mean = |rate| measured("offload", &[("nic.hit_rate", rate)], pingpong(1)).period_ps;
    assert!(mean("0.8") > mean("0.99"));
}

#[test]
fn the_interface_s_memory_takes_what_the_host_s_takes_unless_it_is_given() {
    let of = |overrides: &[(&str, &str)]| {
        let nic = machine("offload", overrides).nic;
        (nic.hit_rate, nic.hit_ps, nic.miss_ps)
    };
    assert_eq!(of(&[("memory.miss", "300 ns")]), (0.9, 2500, 300_000));
    assert_eq!(of(&[("nic.hit", "5 ns")]), (0.9, 5000, 227_500));
    // Described by its caches only, memory takes what lies behind them.
    let is_mean = |line: &&str| {
        ["hit_rate", "hit ", "miss ", "bridge_share"]
            .iter()
            .any(|key| line.starts_with(key))
    };
    let text = CATALOGUE.lines().filter(|line| !is_mean(line));
    let text = text
        .collect::<Vec<_>>()
        .join("\n")
        .replacen("line = \"64 B\"", "", 1);
    let nic = load_text(&text, "offload", &[CACHES]).unwrap().nic;
    assert_eq!(
        (nic.hit_ps, nic.miss_ps, nic.access_ps()),
        (150_000, 150_000, 150_000.0)
    );
}

#[test]
fn only_what_misses_meets_others_on_the_bridge() {
    let [slow, none] = ["500 ns", "0 ns"].map(|penalty| {
        let overrides = [("memory.collision", penalty)];
        measured("onload", &with(&overrides), stream(1 << 16)).period_ps
    });
    assert!(slow > 1.01 * none, "{slow} and {none}");
}

#[test]
fn streams_and_all_placements_run_and_repeat() {
    for placement in PLACEMENTS {
        for exchange in [stream(1), stream(100_000), pingpong(70_000)] {
            let once = measured(placement, &with(&[]), exchange);
            assert_eq!(
                once,
                measured(placement, &with(&[]), exchange),
                "{placement}"
            );
        }
    }
}

/// Frames that are handed over or up as one are copied as whole as single ones.
#[test]
fn large_sends_and_merged_packets_are_copied_whole() {
    let gathers = [
        ("nic.mtu_bytes", "1500"),
        ("nic.large_send", "64 kB"),
        ("nic.merge", "64 kB"),
        ("nic.poll", "true"),
    ];
    for placement in ["base", "onload"] {
        let [isolated, gathered] = [&gathers[..1], &gathers[..]]
            .map(|keys| measured(placement, &with(keys), pingpong(100_000)));
        let reads = |found: &Measured| {
            let kinds = |processor| count(found, 0, processor, L1D, READ).accesses;
            (kinds(0) + kinds(1)) as f64 / found.messages as f64
        };
        // Both ways, two copies of a read for each eight bytes or less.
        assert!(reads(&gathered) > 4.0 * 100_000.0 / 8.0, "{placement}");
        assert!(
            reads(&gathered) < reads(&isolated),
            "{placement}: fewer jobs"
        );
    }
}

/// Each connection's bytes are in its own socket: a page is copied whole, however many users there are.
#[test]
fn a_server_copies_each_page_whole() {
    let reads_of_a_page = |placement, users| {
        let asked = Load {
            users,
            think_ps: 100_000_000_000,
            request_bytes: 300,
            page_bytes: 50_000,
            work_cycles: 0,
            nodelay: true,
            seed: 1,
        };
        let batches = serve(&load(placement, &with(&[])).unwrap(), asked).unwrap();
        let pages: u64 = batches.iter().map(|one| one.pages).sum();
        let all = batches
            .iter()
            .flat_map(|one| one.tally.caches.chunks(3).skip(L1D).step_by(3));
        all.map(|kinds| kinds[READ].accesses).sum::<u64>() as f64 / pages as f64
    };
    for placement in PLACEMENTS {
        for users in [1, 30] {
            // The copy alone reads a word of every four bytes.
            let reads = reads_of_a_page(placement, users);
            assert!(reads > 50_000.0 / 4.0, "{placement} {users}: {reads}");
        }
    }
}
