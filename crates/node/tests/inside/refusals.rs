//! Machines as users write them wrong: one message says what, where, and what would be right.

use super::{CATALOGUE, load, refuse, table};
use weft_node::Machine;

/// A key, its value, and a part of the message.
const WRONG: &str = r#"
placements.base.driver => cpu7 => unknown driver
placements.base.driver => cpu7 => known: cpu0, cpu1, nic
placements.base.copy => nic => only protocol can be on
nic.ring => 4 KiB => a frame of 9014 B must fit
nic.location => dye => unknown location, did you mean "die"?
nic.mtu_bytes => 52 => IP and TCP headers take 52
processors.cpu0.clock => 0 MHz => a clock must be positive
processors.cpu0.clock => 400 => a clock needs a unit (Hz, kHz, MHz, GHz)
processors.cpu1.name => cpu0 => give each processor its own name
processors.cpu1.on_nic => true => a network interface has one processor
memory.hit_rate => 1.5 => must be a number from 0 to 1
memory.hit_rate => -0.5 => must be a number from 0 to 1
memory.miss => 1 ns => must not be less than `hit`
link.rate => 1 GQ/s => unknown unit "GQ/s"
costs.drivr => 7 => unknown key, did you mean "driver"?
sockets.send_buffer => 0 B => must be positive
interrupts.timer => 0 Hz => must be positive
"#;

#[test]
fn only_an_interface_that_processes_protocols_interrupts_for_its_ring() {
    refuse(
        &[("nic.event", "ring")],
        "nic.event = \"ring\": p4-400-base has protocol processing on \"cpu0\"",
    );
    refuse(&[("nic.event", "packet")], "nic.event = \"packet\"");
    refuse(
        &[("memory.bridge_share", "1.5")],
        "memory.bridge_share = 1.5",
    );
}

#[test]
fn what_cannot_be_is_refused_by_its_key() {
    for [key, value, expected] in table::rows(WRONG) {
        refuse(&[(&key, &value)], &expected);
    }
}

#[test]
fn a_placement_must_be_there_and_whole() {
    let message = load("bse", &[]).unwrap_err();
    assert!(message.contains("no row \"bse\"; there are base, hybrid, offload, onload"));
    let any = Machine::load(CATALOGUE, "m.toml", None, &[]).unwrap_err();
    assert!(any.to_string().contains("choose one of base, hybrid"));
    let (before, _) = CATALOGUE.split_once("[placements").unwrap();
    let part = format!("{before}[placements.mine]\ninterrupt = \"cpu0\"\n");
    let message = Machine::load(&part, "m.toml", None, &[]).unwrap_err();
    assert!(
        message
            .to_string()
            .contains("placements.mine.driver: missing: say which processor")
    );
}

#[test]
fn a_row_of_ones_own_is_as_good_as_the_others() {
    let row = "\n[placements.mine]\ninterrupt = \"cpu1\"\ndriver = \"cpu0\"\nprotocol = \"cpu1\"\n\
               copy = \"cpu0\"\napplication = \"cpu1\"\n";
    let text = format!("{CATALOGUE}{row}");
    let machine = Machine::load(&text, "m.toml", Some("mine"), &[]).unwrap();
    assert_eq!(machine.name, "p4-400-mine");
    assert!(weft_node::measure(&machine, super::pingpong(1000)).is_ok());
}

#[test]
fn what_is_missing_is_asked_for() {
    let without = CATALOGUE.replace("[link]", "[lnk]");
    let message = Machine::load(&without, "m.toml", Some("base"), &[]).unwrap_err();
    assert!(message.to_string().contains("lnk"), "{message}");
    assert!(message.to_string().contains("did you mean \"link\"?"));
    let message = Machine::load("name = \"x\"", "m.toml", None, &[]).unwrap_err();
    assert!(
        message
            .to_string()
            .contains("processors: missing: give at least one")
    );
}
