//! Machines that could not exist.

use weft_fabric::{ETHERNET_BYTES, IP_AND_TCP_BYTES};
use weft_plan::Fault;
use weft_plan::reading::Section;

use super::description::Machine;
use super::keys::Result;
use super::placement::Task;

pub fn check(machine: &Machine, root: &Section) -> Result<()> {
    let nic = &machine.nic;
    let refuse = |name: &str, inner: &str, right: String| match root.get(name) {
        Some(table) => match table.get(inner) {
            Some(value) => Fault::new(format!("{name}.{inner}"), value, right),
            None => Fault::missing(format!("{name}.{inner}"), right),
        },
        None => root.refuse(name, right),
    };
    if nic.mtu_bytes <= IP_AND_TCP_BYTES {
        let right =
            format!("IP and TCP headers take {IP_AND_TCP_BYTES}; give at least one byte more");
        return Err(refuse("nic", "mtu_bytes", right));
    }
    let frame_bytes = u64::from(nic.mtu_bytes + ETHERNET_BYTES);
    if nic.ring_bytes < frame_bytes {
        let right = format!(
            "a frame of {frame_bytes} B must fit; give a larger ring or a smaller mtu_bytes"
        );
        return Err(refuse("nic", "ring", right));
    }
    if nic.miss_ps < nic.hit_ps {
        return Err(refuse(
            "nic",
            "miss",
            "must not be less than `hit`".to_owned(),
        ));
    }
    let protocol = &machine.processors[machine.placement.of(Task::Protocol)];
    if nic.by_ring && !protocol.on_nic {
        let right = format!(
            "{} has protocol processing on {:?}; \"ring\" needs it on the network interface's own processor",
            machine.name, protocol.name
        );
        return Err(refuse("nic", "event", right));
    }
    if machine.driver_domain.is_some() {
        check_guests(machine)?;
    }
    if nic.header_split && protocol.on_nic {
        let right = format!(
            "{} has protocol processing on {:?}, which keeps headers to itself; give a placement that has it on the host",
            machine.name, protocol.name
        );
        return Err(refuse("nic", "header_split", right));
    }
    Ok(())
}

/// A guest has its protocol processing and its process, the driver domain interrupts and the driver.
fn check_guests(machine: &Machine) -> Result<()> {
    let of = |task| machine.placement.of(task);
    let is_guest = |task| of(task) == of(Task::Application);
    let are_guest_s = is_guest(Task::Protocol) && is_guest(Task::Copy);
    match are_guest_s && of(Task::Interrupt) == of(Task::Driver) && !is_guest(Task::Driver) {
        true => Ok(()),
        false => Err(Fault::missing(
            "driver_domain",
            "needs a placement with interrupt and driver on one processor of the host, and protocol, copy and application on another",
        )),
    }
}
