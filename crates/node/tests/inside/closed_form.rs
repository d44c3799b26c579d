//! Where nothing meets, the simulator is arithmetic: one processor, one segment, no collisions.

use weft_node::{Machine, Stage};

use super::{machine, measured, pingpong, stream};

const ALONE: [(&str, &str); 2] = [("memory.collision", "0 ns"), ("nic.coalesce_frames", "1")];

/// What so many cycles of code take cpu0.
pub fn code_ps(machine: &Machine, cycles: f64) -> f64 {
    let period_ps = 1e12 / machine.processors[0].clock_hz as f64;
    let stalls_ps = machine.costs.accesses_per_cycle * machine.memory.access_ps();
    cycles * (period_ps + stalls_ps)
}

/// What a loop over so many words takes it.
pub fn loop_ps(machine: &Machine, accesses: f64) -> f64 {
    accesses * (1e12 / machine.processors[0].clock_hz as f64 + machine.memory.access_ps())
}

/// From a write to the end of the read at the other end.
fn one_way_ps(machine: &Machine, bytes: u64) -> f64 {
    let costs = &machine.costs;
    let cycles = costs.system_call
        + 2.0 * costs.protocol
        + 2.0 * costs.driver
        + costs.interrupt
        + costs.softirq
        + costs.wake_up
        + costs.refill
        + costs.context_switch;
    let touched = 2.0
        * (costs.copy_accesses_per_byte
            + costs.protocol_accesses_per_byte
            + costs.checksum_accesses_per_byte);
    let bus_ps = machine.io_bus.access_ps as f64
        + (bytes + 66) as f64 * 8e12 / machine.io_bus.bits_per_s as f64;
    let wire_ps = (bytes + 90) as f64 * 8e12 / machine.link.bits_per_s as f64;
    code_ps(machine, cycles)
        + loop_ps(machine, touched * bytes as f64)
        + 2.0 * bus_ps
        + wire_ps
        + machine.link.delay_ps as f64
        + machine.interrupts.delay_ps as f64
}

#[test]
fn a_message_of_one_segment_takes_the_sum_of_its_parts() {
    let machine = machine("base", &ALONE);
    for bytes in [1, 100, 4000, 8948] {
        let expected_ps = one_way_ps(&machine, bytes);
        let found_ps = measured("base", &ALONE, pingpong(bytes)).period_ps / 2.0;
        // Each of some twenty events is rounded to a picosecond.
        assert!(
            (found_ps - expected_ps).abs() < 20.0,
            "{bytes}: {found_ps} and {expected_ps}"
        );
    }
}

#[test]
fn coalescing_adds_its_time_to_a_lonely_frame() {
    let with = |frames, time| {
        let overrides = [("nic.coalesce_frames", frames), ("nic.coalesce_time", time)];
        measured("base", &overrides, pingpong(1)).period_ps / 2.0
    };
    assert_eq!(with("2", "30 us") - with("1", "30 us"), 30e6);
}

#[test]
fn the_budget_of_a_message_is_its_time() {
    for placement in super::PLACEMENTS {
        for bytes in [1, 5000, 300_000] {
            let found = measured(placement, &[], pingpong(bytes));
            let sum: f64 = found.budget_ps.iter().sum();
            assert!(
                (sum - found.period_ps).abs() < 1e-6 * found.period_ps,
                "{placement} {bytes}"
            );
        }
    }
    let found = measured("base", &ALONE, pingpong(1));
    let machine = machine("base", &ALONE);
    let driver_ps = 2.0 * code_ps(&machine, machine.costs.driver);
    assert!((found.budget_ps[Stage::DriverIn as usize] - driver_ps).abs() < 4.0);
}

#[test]
fn a_fast_node_fills_the_link() {
    let fast = [
        ("processors.cpu0.clock", "1000 GHz"),
        ("memory.hit", "0 ns"),
        ("memory.miss", "0 ns"),
        ("io_bus.rate", "1 Tb/s"),
    ];
    let period_ps = measured("base", &fast, stream(8948)).period_ps;
    // 9038 bytes of a full frame at 1 Gb/s.
    assert!(
        (period_ps / (9038.0 * 8e3) - 1.0).abs() < 1e-3,
        "{period_ps}"
    );
}
