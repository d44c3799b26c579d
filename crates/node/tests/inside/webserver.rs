//! A server and its users: laws of closed queues, and what goes wrong.

use proptest::prelude::*;
use weft_node::{Failure, Load, Visits, serve};

use super::{PLACEMENTS, load, machine};

const LOAD: Load = Load {
    users: 100,
    think_ps: 100_000_000_000,
    request_bytes: 300,
    page_bytes: 5000,
    work_cycles: 100_000,
    nodelay: true,
    seed: 1,
};

/// Pages in a second, mean response time in seconds, users who waited.
fn totals(batches: &[Visits]) -> (f64, f64, f64) {
    let pages: u64 = batches.iter().map(|one| one.pages).sum();
    let elapsed_ps: u64 = batches.iter().map(|one| one.elapsed_ps).sum();
    let times_ps = batches.iter().flat_map(|one| &one.responses_ps);
    let sum_ps: f64 = times_ps.map(|time_ps| *time_ps as f64).sum();
    let area_ps: f64 = batches
        .iter()
        .map(|one| one.waiting * one.elapsed_ps as f64)
        .sum();
    let rate = pages as f64 * 1e12 / elapsed_ps as f64;
    (
        rate,
        sum_ps / pages as f64 / 1e12,
        area_ps / elapsed_ps as f64,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn utilisation_and_little_hold(
        placement in 0..4usize,
        users in 1u32..300,
        page_bytes in 1u64..100_000,
        request_bytes in 1u64..20_000,
        work_cycles in 0u32..400_000,
        think_us in 1u64..200_000,
        mtu in 500u32..9000,
        seed: u64,
    ) {
        let mtu = mtu.to_string();
        let machine = load(PLACEMENTS[placement], &[("nic.mtu_bytes", &mtu)]).unwrap();
        let asked = Load {
            users, page_bytes, request_bytes, work_cycles, seed, nodelay: true,
            think_ps: think_us * 1_000_000,
        };
        let batches = serve(&machine, asked).unwrap();
        let (rate, response_s, waiting) = totals(&batches);
        // Little: those who wait = pages per time x time of each. Who waits at the ends counts on one side only.
        prop_assert!((waiting - rate * response_s).abs() <= 0.1 * waiting + 0.01, "{} {}", waiting, rate * response_s);
        // The response time law of closed systems: R = N / X - Z, as exact as the mean of the think times drawn.
        let thinking = f64::from(users) - waiting;
        prop_assert!((thinking / rate / (think_us as f64 / 1e6) - 1.0).abs() < 0.1, "{}", thinking / rate);
        for visits in &batches {
            for (index, busy) in visits.tally.busy_ps.iter().enumerate() {
                prop_assert!(busy.iter().sum::<u64>() <= visits.tally.elapsed_ps, "processor {}", index);
            }
            prop_assert!(visits.pages == visits.responses_ps.len() as u64);
        }
        // Nothing is faster than the wire, nor than the work.
        let wire_s = page_bytes as f64 * 8.0 / machine.link.bits_per_s as f64;
        let work_s = f64::from(work_cycles) / 400e6;
        prop_assert!(rate * wire_s <= 1.001 && rate * work_s <= 1.001);
    }
}

/// Utilisation = pages per time x work of each: what the application computes is known to the cycle.
#[test]
fn the_application_is_busy_for_what_it_computes() {
    let with = |work_cycles| {
        let asked = Load {
            work_cycles,
            users: 20,
            ..LOAD
        };
        let batches = serve(&machine("onload", &[]), asked).unwrap();
        let (rate, ..) = totals(&batches);
        let busy_ps: u64 = batches.iter().map(|one| one.tally.busy_ps[0][4]).sum();
        let elapsed_ps: u64 = batches.iter().map(|one| one.elapsed_ps).sum();
        busy_ps as f64 / elapsed_ps as f64 / rate
    };
    let each_s = with(400_000) - with(0);
    assert!((each_s - 1e-3).abs() < 2e-5, "{each_s}");
}

#[test]
fn few_users_get_what_they_ask_for_and_many_what_there_is() {
    for placement in PLACEMENTS {
        let of = |users| totals(&serve(&machine(placement, &[]), Load { users, ..LOAD }).unwrap());
        let ((few, quick_s, _), (many, slow_s, _)) = (of(5), of(1000));
        // Five users who think 0.1 s ask for nearly 50 pages in a second, give or take what chance does.
        assert!((47.0..51.5).contains(&few), "{placement}: {few}");
        assert!(quick_s < 2e-3, "{placement}: {quick_s}");
        assert!((1500.0..4000.0).contains(&many), "{placement}: {many}");
        assert!(slow_s > 100.0 * quick_s, "{placement}: {slow_s}");
    }
}

#[test]
fn offload_serves_more_where_the_processor_is_short() {
    let of = |placement| {
        totals(
            &serve(
                &machine(placement, &[]),
                Load {
                    users: 1000,
                    ..LOAD
                },
            )
            .unwrap(),
        )
        .0
    };
    let (base, offload, onload) = (of("base"), of("offload"), of("onload"));
    assert!(
        offload > 1.05 * base && onload > 1.05 * base,
        "{base} {offload} {onload}"
    );
}

#[test]
fn the_same_again_is_the_same_and_others_think_otherwise() {
    let of = |seed| serve(&machine("hybrid", &[]), Load { seed, ..LOAD }).unwrap();
    assert_eq!(of(1), of(1));
    assert_ne!(of(1)[0].fingerprint, of(2)[0].fingerprint);
}

#[test]
fn large_pages_wait_for_room_in_the_socket() {
    let asked = Load {
        users: 3,
        page_bytes: 300_000,
        ..LOAD
    };
    let of = |buffer| {
        totals(&serve(&machine("base", &[("sockets.send_buffer", buffer)]), asked).unwrap()).1
    };
    assert!(of("16 KiB") > 1.02 * of("128 KiB"));
}

#[test]
fn interrupts_that_leave_no_time_are_a_livelock() {
    let busy = machine("base", &[("interrupts.timer", "1 MHz")]);
    match serve(&busy, LOAD) {
        Err(Failure::Livelock { processor, .. }) => assert_eq!(processor, "cpu0"),
        other => panic!("{other:?}"),
    }
}
