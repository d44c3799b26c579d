//! Which wires a frame passes on its way from one port to another.

use crate::topology::Port;
use crate::wire::{HEADER_BYTES, Wire};

/// The wires of a fabric and the ways through them.
///
/// Whatever else limits a frame (the inside of a switch, a trunk) is one more wire on its way.
pub struct Plant {
    wires: Vec<Wire>,
    ports: usize,
    switched: bool,
}

impl Plant {
    /// First the wires from the hosts, by port; behind a switch also the wires to them.
    pub fn new(ports: &[Port], switched: bool) -> Self {
        let up = ports.iter().map(|port| (port.up, port));
        let down = ports
            .iter()
            .map(|port| (port.down, port))
            .filter(|_| switched);
        let wire = |(lane, port): (_, &Port)| Wire::new(lane, port.mtu_bytes, port.queue_frames);
        Self {
            wires: up.chain(down).map(wire).collect(),
            ports: ports.len(),
            switched,
        }
    }

    /// How many ports there are.
    pub fn ports(&self) -> usize {
        self.ports
    }

    /// The wire a frame passes at a step of its way to a port; none when it is there. Step 0 is the
    /// sender's own wire.
    pub fn wire_at(&mut self, step: usize, from: usize, to: usize) -> Option<&mut Wire> {
        let wire = match step {
            0 => from,
            1 if self.switched => self.ports + to,
            _ => return None,
        };
        self.wires.get_mut(wire)
    }

    /// How long the largest frame takes on the fastest wire that has a rate.
    pub fn shortest_frame_ns(&self, mtu_bytes: u32) -> u64 {
        let frame_bytes = u64::from(mtu_bytes + HEADER_BYTES);
        let times = self
            .wires
            .iter()
            .map(|wire| wire.time_on_wire(frame_bytes).0);
        times.filter(|time| *time > 0).min().unwrap_or(0)
    }
}
