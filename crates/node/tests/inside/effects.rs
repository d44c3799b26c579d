//! Each physical parameter changes results in the direction that it must, and none is idle.

use super::{PLACEMENTS, latency_us, measured, rate_mbps, stream};

const IDEAL: [(&str, &str); 7] = [
    ("memory.hit", "0 ns"),
    ("memory.miss", "0 ns"),
    ("memory.collision", "0 ns"),
    ("nic.hit", "0 ns"),
    ("nic.miss", "0 ns"),
    ("io_bus.rate", "10 Tb/s"),
    ("io_bus.access", "0 ns"),
];

#[test]
fn a_faster_interface_never_slows_offload() {
    let clocks = ["100 MHz", "200 MHz", "300 MHz", "400 MHz", "800 MHz"];
    let of = |clock| rate_mbps("offload", &[("processors.nic.clock", clock)]);
    let rates = clocks.map(of);
    assert!(
        rates.windows(2).all(|pair| pair[0] <= pair[1] * 1.001),
        "{rates:?}"
    );
    assert!(rates[0] < rates[3] * 0.95, "{rates:?}");
    let base = |clock| rate_mbps("base", &[("processors.nic.clock", clock)]);
    assert_eq!(base("100 MHz"), base("800 MHz"));
}

#[test]
fn buses_without_latency_remove_the_gap_between_placements() {
    let spread = |overrides: &[(&str, &str)]| {
        let rates = PLACEMENTS.map(|placement| rate_mbps(placement, overrides));
        let (low, high) = (
            rates.iter().cloned().fold(f64::MAX, f64::min),
            rates.iter().cloned().fold(0.0, f64::max),
        );
        (high / low, low)
    };
    let (gap, _) = spread(&[]);
    let (ideal_gap, ideal_low) = spread(&IDEAL);
    assert!(gap > 1.2, "{gap}");
    assert!(ideal_gap < 1.02, "{ideal_gap}");
    assert!(ideal_low > 900.0, "{ideal_low} of 1000 Mb/s");
}

#[test]
fn slower_parts_make_everything_slower() {
    for (key, slow, fast) in [
        ("memory.miss", "400 ns", "100 ns"),
        ("memory.hit_rate", "0.8", "0.99"),
        ("costs.driver", "2000", "100"),
        ("costs.interrupt", "2000", "50"),
        ("costs.softirq", "4000", "0"),
        ("costs.protocol", "4000", "100"),
        ("costs.copy_accesses_per_byte", "1.5", "0.25"),
        ("costs.protocol_accesses_per_byte", "1.5", "0.25"),
        ("nic.checksum", "false", "true"),
        ("processors.cpu0.clock", "200 MHz", "1 GHz"),
        ("application.cycles_per_byte", "20", "0"),
    ] {
        let (slow_rate, fast_rate) = (
            rate_mbps("base", &[(key, slow)]),
            rate_mbps("base", &[(key, fast)]),
        );
        assert!(slow_rate < fast_rate, "{key}: {slow_rate} and {fast_rate}");
    }
    for (key, slow, fast) in [
        ("nic.coalesce_time", "80 us", "0 us"),
        ("interrupts.delay", "10 us", "0 us"),
        ("link.delay", "10 us", "0 us"),
        ("link.rate", "10 Mb/s", "1 Gb/s"),
        ("io_bus.access", "5 us", "0 us"),
        ("io_bus.rate", "100 Mb/s", "10 Gb/s"),
        ("costs.wake_up", "1000", "0"),
        ("costs.context_switch", "1000", "0"),
        ("costs.system_call", "1000", "0"),
        ("costs.refill", "1000", "0"),
        ("costs.accesses_per_cycle", "0.6", "0.1"),
        ("memory.hit", "10 ns", "1 ns"),
    ] {
        let (slow_us, fast_us) = (
            latency_us("base", &[(key, slow)]),
            latency_us("base", &[(key, fast)]),
        );
        assert!(slow_us > fast_us, "{key}: {slow_us} and {fast_us}");
    }
}

#[test]
fn collisions_slow_those_who_share_the_bridge() {
    let of = |placement, penalty| rate_mbps(placement, &[("memory.collision", penalty)]);
    assert!(of("onload", "500 ns") < 0.98 * of("onload", "0 ns"));
    assert!(
        of("base", "500 ns") < of("base", "0 ns"),
        "transfers of the interface collide too"
    );
    // What hits is not on the bridge.
    let all_hit = |penalty| {
        let keys = [("memory.hit_rate", "1"), ("memory.collision", penalty)];
        rate_mbps("onload", &keys)
    };
    assert_eq!(all_hit("500 ns"), all_hit("0 ns"));
    // A narrow bus holds accesses up for longer.
    let slow_bus = rate_mbps("onload", &[("memory.bus", "3.2 Gb/s")]);
    assert!(slow_bus < rate_mbps("onload", &[("memory.bus", "25.6 Gb/s")]));
}

#[test]
fn an_interface_closer_to_the_processors_is_faster() {
    let at = |place| [("nic.location", place)];
    let places = ["io-bus", "bridge", "processor-bus"];
    for placement in PLACEMENTS {
        let [far, near, nearer] = places.map(|place| latency_us(placement, &at(place)));
        assert!(far > near && near > nearer, "{placement}");
        let [far, near] = ["io-bus", "bridge"].map(|place| rate_mbps(placement, &at(place)));
        // Frames that come sooner meet other accesses on the bridge more often.
        assert!(near > 0.99 * far, "{placement}: {near} for {far}");
    }
    // Only the processors' own bus is crossed by frames; on the die nothing is in their way.
    let of = |place| {
        let key = ("nic.location", place);
        rate_mbps("base", &[key, ("memory.collision", "2 us")])
    };
    assert!(of("die") > of("processor-bus"));
    let none = ("interrupts.delay", "0 us");
    let signalled = |place| latency_us("base", &[("nic.location", place), none]);
    assert_eq!(signalled("bridge"), signalled("processor-bus"));
}

#[test]
fn small_frames_and_no_coalescing_cost_interrupts() {
    let interrupts = |overrides: &[(&str, &str)]| {
        let found = measured("base", overrides, stream(1 << 16));
        let tally = &found.tallies[1];
        tally.interrupts[0] as f64 / found.messages as f64
    };
    let one_each = [("nic.coalesce_frames", "1"), ("nic.mtu_bytes", "1500")];
    let gathered = [
        ("nic.coalesce_frames", "16"),
        ("nic.coalesce_time", "200 us"),
        ("nic.mtu_bytes", "1500"),
    ];
    assert!(interrupts(&one_each) > 40.0, "45 frames a message");
    assert!(interrupts(&gathered) < 0.5 * interrupts(&one_each));
    assert!(interrupts(&[("nic.coalesce_frames", "1")]) < 0.3 * interrupts(&one_each));
}

#[test]
fn a_small_window_stalls_and_still_runs() {
    let small = [
        ("sockets.receive_buffer", "8 KiB"),
        ("sockets.send_buffer", "8 KiB"),
    ];
    assert!(rate_mbps("base", &small) < 0.8 * rate_mbps("base", &[]));
    assert!(rate_mbps("base", &[("sockets.send_buffer", "1 KiB")]) > 0.0);
    assert!(rate_mbps("base", &[("sockets.receive_buffer", "100 B")]) > 0.0);
}

#[test]
fn no_application_work_is_the_same_as_none_declared() {
    let none = measured("base", &[], stream(4096));
    let zero = measured(
        "base",
        &[("application.cycles_per_byte", "0")],
        stream(4096),
    );
    assert_eq!(none, zero);
}
