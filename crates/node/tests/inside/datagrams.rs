//! Datagrams: an overloaded receiver loses what arithmetic says, an underloaded one nothing, and none is forgotten.

use proptest::prelude::*;
use weft_node::{Carrier, Exchange, Failure, Machine, Pair, Place, Sent};

use super::closed_form::{code_ps, loop_ps};
use super::{CACHES, PLACEMENTS, load, machine, pingpong, refuse, stream};

const FEW: u64 = 400;

fn datagrams(bytes: u64) -> Exchange {
    Exchange {
        carrier: Carrier::Udp,
        ..stream(bytes)
    }
}

/// What became of a batch, and by place what was lost.
fn sent(machine: &Machine, bytes: u64, messages: u64, gap_ps: u64) -> (Sent, [u64; 3]) {
    let mut pair = Pair::new(machine, datagrams(bytes));
    let sent = pair.send_datagrams(messages, gap_ps).unwrap();
    (sent, pair.lost(1))
}

/// The reader has a processor to itself and needs more time for a datagram than passes between two.
#[test]
fn an_overloaded_reader_loses_exactly_what_its_buffer_has_no_room_for() {
    const BYTES: u64 = 1000;
    let slow = [
        ("memory.collision", "0 ns"),
        ("nic.coalesce_frames", "1"),
        ("costs.copy_in", "40000"),
        ("sockets.receive_buffer", "10000 B"),
    ];
    let machine = machine("onload", &slow);
    let costs = &machine.costs;
    let copy_ps = code_ps(&machine, costs.copy_in)
        + loop_ps(&machine, BYTES as f64 * costs.copy_in_accesses_per_byte);
    let call_ps = code_ps(&machine, costs.system_call);
    let wake_ps = code_ps(
        &machine,
        costs.wake_up + costs.interrupt + costs.context_switch,
    );
    let gap_ps = 300_000_001;
    assert!(gap_ps as f64 > wake_ps && (gap_ps as f64) < copy_ps);
    // When each datagram that was kept is copied; it has room until then, with 256 B for the kernel's notes.
    let mut copied_ps: Vec<f64> = Vec::new();
    for arrival in 0..FEW {
        let now_ps = (arrival * gap_ps) as f64;
        let there = copied_ps.iter().filter(|end_ps| **end_ps > now_ps).count();
        if there * (1000 + 256) <= 10_000 {
            let next_ps = copied_ps.last().map_or(wake_ps, |end_ps| end_ps + call_ps);
            copied_ps.push(next_ps + copy_ps);
        }
    }
    let (found, lost) = sent(&machine, BYTES, FEW, gap_ps);
    let share = found.received as f64 / FEW as f64;
    assert!((0.5..0.8).contains(&share), "{share}");
    assert_eq!(found.received, copied_ps.len() as u64);
    assert_eq!(lost, [0, 0, FEW - found.received]);
    let span_ps = copied_ps.last().unwrap() - copied_ps[0];
    assert!((found.span_ps() as f64 - span_ps).abs() < 1e3, "{span_ps}");
}

#[test]
fn an_underloaded_receiver_loses_nothing_and_keeps_the_gaps() {
    for placement in PLACEMENTS {
        for (bytes, gap_ps) in [
            (16, 400_000_000),
            (8000, 2_000_000_000),
            (60_000, 20_000_000_000),
        ] {
            let machine = machine(placement, &[("nic.pause", "false")]);
            let (found, lost) = sent(&machine, bytes, FEW, gap_ps);
            assert_eq!((found.received, lost), (FEW, [0; 3]), "{placement} {bytes}");
            let apart_ps = found.span_ps() as f64 / (FEW - 1) as f64;
            assert!(
                (apart_ps / gap_ps as f64 - 1.0).abs() < 1e-3,
                "{placement} {bytes}"
            );
        }
    }
}

/// Nothing is taken out of the ring before the interrupt, which comes after all have been sent.
#[test]
fn a_ring_without_pauses_keeps_what_fits_and_a_pause_keeps_all() {
    let late = |pause| {
        let keys = [
            ("nic.pause", pause),
            ("nic.ring", "20000 B"),
            ("nic.coalesce_frames", "4096"),
            ("nic.coalesce_time", "100 ms"),
            ("sockets.receive_buffer", "1 MiB"),
        ];
        let (found, lost) = sent(&machine("base", &keys), 972, 60, 0);
        (found.received, lost)
    };
    // With 42 B of headers a frame has 1014 B.
    assert_eq!(late("false"), (19, [41, 0, 0]));
    assert_eq!(late("true"), (60, [0; 3]));
}

#[test]
fn a_backlog_keeps_what_fits() {
    let keys = [
        ("sockets.backlog", "5"),
        ("sockets.receive_buffer", "1 MiB"),
        ("nic.coalesce_frames", "30"),
        ("nic.coalesce_time", "100 ms"),
    ];
    // All 30 come with one interrupt, and the driver has them all before protocol processing begins.
    let (found, lost) = sent(&machine("base", &keys), 100, 30, 0);
    assert_eq!((found.received, lost), (5, [0, 25, 0]));
}

#[test]
fn a_sender_is_held_back_by_its_own_buffer_and_loses_nothing_there() {
    // The link is the limit by far; the receiver takes all that comes.
    let slow = [("link.rate", "1 Mb/s"), ("sockets.send_buffer", "4 KiB")];
    let (found, lost) = sent(&machine("base", &slow), 1000, FEW, 0);
    assert_eq!((found.received, lost), (FEW, [0; 3]));
    // 1000 B, 42 of headers and 24 of the wire.
    let each_ps = found.elapsed_ps() / FEW as f64;
    assert!((each_ps / (1066.0 * 8e6) - 1.0).abs() < 1e-6, "{each_ps}");
    assert!(found.sending_ps() as f64 > 0.95 * found.elapsed_ps());
}

#[test]
fn a_round_trip_that_never_fits_is_said() {
    let keys = [
        ("nic.pause", "false"),
        ("nic.ring", "9100 B"),
        ("nic.coalesce_time", "1 ms"),
    ];
    let exchange = Exchange {
        carrier: Carrier::Udp,
        ..pingpong(40_000)
    };
    let failure = weft_node::measure(&machine("base", &keys), exchange).unwrap_err();
    assert_eq!(
        failure,
        Failure::Lost {
            node: 1,
            place: "ring"
        }
    );
    assert!(
        failure
            .to_string()
            .contains("for want of room in the ring of n2")
    );
}

#[test]
fn keys_of_datagrams_are_checked() {
    refuse(&[("nic.pause", "never")], "nic.pause = \"never\"");
    refuse(&[("sockets.backlog", "0")], "sockets.backlog = 0");
    refuse(&[("costs.datagram", "-1")], "costs.datagram = -1");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_sent_is_read_or_lost_somewhere(
        placement in 0..4usize,
        bytes in prop_oneof![16u64..2000, 1u64..65_507],
        gap_us in prop_oneof![Just(0u64), 1u64..2000],
        pause in any::<bool>(),
        poll in any::<bool>(),
        mtu in 100u32..9000,
        ring in 1u32..20,
        frames in 1u32..20,
        backlog in 1u32..100,
        buffer in 1u64..200,
        slow in 0u64..100_000,
        caches in prop_oneof![9 => Just(false), 1 => Just(true)],
    ) {
        let keys = [
            ("nic.pause", pause.to_string()),
            ("nic.poll", poll.to_string()),
            ("nic.mtu_bytes", mtu.to_string()),
            ("nic.ring", format!("{} B", (mtu + 14) * ring)),
            ("nic.coalesce_frames", frames.to_string()),
            ("sockets.backlog", backlog.to_string()),
            ("sockets.receive_buffer", format!("{buffer} KiB")),
            ("costs.copy_in", slow.to_string()),
        ];
        let mut keys: Vec<_> = keys.iter().map(|(key, value)| (*key, value.as_str())).collect();
        keys.extend(caches.then_some(CACHES));
        let machine = load(PLACEMENTS[placement], &keys).unwrap();
        let messages = if caches { 30 } else { 200 };
        let mut pair = Pair::new(&machine, datagrams(bytes));
        for batch in 1..=2 {
            let found = pair.send_datagrams(messages, gap_us * 1_000_000).unwrap();
            prop_assert_eq!(found.messages, messages);
            let lost: u64 = pair.lost(1).iter().sum();
            prop_assert!(found.received <= messages);
            if batch == 1 {
                prop_assert_eq!(found.received + lost, messages);
            }
            prop_assert_eq!(pair.lost(0), [0; 3]);
            prop_assert!(!pause || pair.lost(1)[Place::Ring as usize] == 0);
        }
    }
}
