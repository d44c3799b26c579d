//! Each physical parameter changes results in the direction that it must, and none is idle.

use super::{CATALOGUE, PLACEMENTS, latency_us, load_text, machine, measured, rate_mbps, stream};

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
    let clocks = ["10 MHz", "100 MHz", "200 MHz", "400 MHz", "800 MHz"];
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
    // By itself what misses is on the bridge, and nothing else.
    let text = CATALOGUE.replace("bridge_share = 0.1 ", "");
    let silent = load_text(&text, "onload", &[("memory.hit_rate", "0.96")]).unwrap();
    let said = [("memory.hit_rate", "0.96"), ("memory.bridge_share", "0.04")];
    assert!((silent.memory.bridge_share() - 0.04).abs() < 1e-12);
    assert_eq!(machine("onload", &said).memory.bridge_share(), 0.04);
    let of = |share, penalty| {
        let keys = [
            ("memory.bridge_share", share),
            ("memory.collision", penalty),
        ];
        rate_mbps("onload", &keys)
    };
    assert_eq!(of("0", "500 ns"), of("0", "0 ns"));
    assert!(of("0.3", "50 ns") < 0.98 * of("0.1", "50 ns"));
    // A narrow bus holds accesses up for longer.
    let slow_bus = rate_mbps("onload", &[("memory.bus", "3.2 Gb/s")]);
    assert!(slow_bus < rate_mbps("onload", &[("memory.bus", "25.6 Gb/s")]));
}

#[test]
fn an_interface_closer_to_the_processors_is_faster() {
    let at = |place| [("nic.location", place), ("nic.event", "frame")];
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
        rate_mbps("onload", &[key, ("memory.collision", "2 us")])
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

/// An interface that interrupts for its ring, not for frames, hands on together what came while it worked.
#[test]
fn one_interrupt_is_for_all_that_is_in_the_ring() {
    let small = [("nic.mtu_bytes", "1500"), ("nic.coalesce_frames", "1")];
    let of = |event| {
        let keys = [&small[..], &[("nic.event", event)]].concat();
        measured("offload", &keys, stream(1 << 16)).tallies[1].clone()
    };
    let (by_ring, by_frame) = (of("ring"), of("frame"));
    let each = |tally: &weft_node::Tally| tally.interrupts[0] as f64 / tally.ring_frames as f64;
    assert!(each(&by_ring) < 0.6 * each(&by_frame), "{}", each(&by_ring));
    // Frames lie in the ring for it.
    assert!(
        by_ring.ring_stay_ps / by_ring.ring_frames > by_frame.ring_stay_ps / by_frame.ring_frames
    );
    // A small message waits as long for others either way, and without the I/O interrupt controller.
    let of = |event| latency_us("offload", &[("nic.event", event)]);
    assert!((of("frame") - of("ring") - 1.0).abs() < 0.01);
    let late = ("interrupts.delay", "10 us");
    assert_eq!(latency_us("offload", &[late]), latency_us("offload", &[]));
    // A ring that holds little is handed on sooner.
    let slow = ("nic.coalesce_time", "10 ms");
    assert!(rate_mbps("offload", &[slow, ("nic.ring", "16 KiB")]) > 5.0);
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
