//! Machines on which nothing arrives: that is found out, said, and ends.

use weft_node::{Failure, measure};

use super::{machine, pingpong, stream};

#[test]
fn interrupts_that_leave_no_time_are_a_livelock() {
    // At 400 MHz a timer of 1 MHz leaves 400 cycles, fewer than an interrupt takes with its accesses.
    let busy = machine("base", &[("interrupts.timer", "1 MHz")]);
    for exchange in [pingpong(1), stream(100_000)] {
        match measure(&busy, exchange) {
            Err(Failure::Livelock { processor, share }) => {
                assert_eq!(processor, "cpu0");
                assert!(share > 0.9, "{share}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_timer_interrupts_every_processor_of_the_host() {
    let found = super::measured("base", &[("interrupts.timer", "1 kHz")], stream(1 << 16));
    let tally = &found.tallies[0];
    let ticks = (tally.elapsed_ps / 1_000_000_000) as i64;
    assert!(ticks > 20 && (tally.interrupts[1] as i64 - ticks).abs() <= 1);
    // 100 cycles and their accesses, on a processor that does nothing else.
    let each_ps = tally.busy_ps[1][0] as f64 / tally.interrupts[1] as f64;
    assert!((1.09e6..1.4e6).contains(&each_ps), "{each_ps}");
    assert_eq!(
        tally.interrupts[2], 0,
        "the interface's own has no interrupts"
    );
}

#[test]
fn what_failed_is_said() {
    let failure = Failure::Livelock {
        processor: "cpu0".into(),
        share: 0.98,
    };
    let said = "livelock: cpu0 spends 98 % of its time on interrupts and finishes no message";
    assert_eq!(failure.to_string(), said);
}

#[test]
fn a_stream_of_tiny_messages_is_read_in_the_end() {
    for placement in super::PLACEMENTS {
        let found = super::measured(placement, &[], stream(1));
        assert!(found.period_ps > 1e6, "{placement}: {} ps", found.period_ps);
    }
}
