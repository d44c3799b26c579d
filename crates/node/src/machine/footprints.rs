//! What software touches besides messages.

use weft_plan::reading::{SIZE, Section};

use super::keys::{Result, amount};

/// Sizes in bytes of what code runs through and of what it keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Footprints {
    /// Of instructions, for each cycle of code.
    pub instruction_bytes: f64,
    /// What part of code's accesses are reads.
    pub reads: f64,
    /// A processor's stack, as far as it is used.
    pub stack_bytes: u64,
    /// The kernel's state of an interrupt.
    pub interrupt_bytes: u64,
    /// The driver's state of its device.
    pub driver_bytes: u64,
    /// A frame's entry in the driver's rings.
    pub descriptor_bytes: u64,
    /// The kernel's notes about a packet.
    pub packet_bytes: u64,
    pub socket_bytes: u64,
    pub process_bytes: u64,
}

impl Footprints {
    /// Reads [footprints].
    pub fn read(section: &Section) -> Result<Self> {
        section.check_keys(&[
            "instruction_bytes",
            "reads",
            "stack",
            "interrupt",
            "driver",
            "descriptor",
            "packet",
            "socket",
            "process",
        ])?;
        let size = |name| {
            let bytes = amount(section, name, &SIZE, 1)?;
            match bytes <= 1 << 20 {
                true => Ok(bytes),
                false => Err(section.refuse(name, "give at most 1 MiB")),
            }
        };
        Ok(Self {
            instruction_bytes: section.number("instruction_bytes", 64.0)?,
            reads: section.number("reads", 1.0)?,
            stack_bytes: size("stack")?,
            interrupt_bytes: size("interrupt")?,
            driver_bytes: size("driver")?,
            descriptor_bytes: size("descriptor")?,
            packet_bytes: size("packet")?,
            socket_bytes: size("socket")?,
            process_bytes: size("process")?,
        })
    }
}
