//! What a frame hashes to where a fabric has several paths: by flow, by flowlet, or by chance for each frame.

use rand_pcg::Pcg32;
use rand_pcg::rand_core::{RngCore, SeedableRng};
use weft_fabric::hash::mixed;
use weft_fabric::{Hashing, Layout, Unit};

use crate::forward::ports::ports_of;

/// As many as switches have that do this; flows that meet in one entry keep each other's path (E. Vanini et al., "Let it
/// flow", NSDI 2017, section 3).
const FLOWLETS: usize = 1 << 16;

/// The hash of a fabric's switches, with what it remembers of flowlets.
pub struct Balancer {
    hashing: Hashing,
    /// By port.
    hosts: Vec<usize>,
    flowlets: Vec<Flowlet>,
    chance: Pcg32,
}

/// What a flow, or several, last sent.
#[derive(Clone, Copy, Default)]
struct Flowlet {
    last_ns: u64,
    salt: u64,
}

impl Balancer {
    pub fn new(hashing: Hashing, layout: &Layout) -> Self {
        let flowlets = match hashing.unit {
            Unit::Flowlet { .. } => FLOWLETS,
            Unit::Flow | Unit::Packet => 0,
        };
        Self {
            hashing,
            hosts: layout.ports.iter().map(|port| port.host).collect(),
            flowlets: vec![Flowlet::default(); flowlets],
            chance: Pcg32::seed_from_u64(u64::from(hashing.seed)),
        }
    }

    /// What a frame between two ports hashes to that arrives at `now_ns`.
    pub fn hashed(&mut self, from: usize, to: usize, frame: &[u8], now_ns: u64) -> u64 {
        let (src, dst) = (self.hosts[from], self.hosts[to]);
        match self.hashing.unit {
            Unit::Packet => self.chance.next_u64(),
            Unit::Flow => self.hashing.of_flow(src, dst, ports_of(frame)),
            Unit::Flowlet { gap_ns } => {
                let flow = self.hashing.of_flow(src, dst, ports_of(frame));
                flow ^ self.salt_of(flow, now_ns, gap_ns.0)
            }
        }
    }

    fn salt_of(&mut self, flow: u64, now_ns: u64, gap_ns: u64) -> u64 {
        let flowlet = &mut self.flowlets[mixed(flow) as usize % FLOWLETS];
        if now_ns.saturating_sub(flowlet.last_ns) > gap_ns {
            flowlet.salt = self.chance.next_u64();
        }
        flowlet.last_ns = now_ns;
        flowlet.salt
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use weft_fabric::load;

    use super::*;

    const TEXT: &str = "name = \"f\"\nrouting = \"hash\"\n[[hosts]]\nids = \"n[1-4]\"\nattach = \"s[1-2]\"\n\
                        per_switch = 2\n[[switches]]\nids = \"s[1-2]\"\n[[links]]\nbetween = [\"s1\", \"s2\"]\ncount = 4\n";

    fn balancer(keys: &str) -> Balancer {
        let fabric = load(&format!("{keys}\n{TEXT}"), "test", 1.0).unwrap();
        let layout = Layout::of(&fabric).unwrap();
        Balancer::new(fabric.routing.hashing().unwrap(), &layout)
    }

    /// A TCP frame from a port.
    fn frame(port: u16) -> Vec<u8> {
        let mut bytes = vec![0; 12];
        bytes.extend([8, 0, 0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0]);
        bytes.extend([10, 0, 0, 1, 10, 0, 0, 2]);
        bytes.extend(port.to_be_bytes());
        bytes.extend([0x13, 0x88]);
        bytes
    }

    fn count(balancer: &mut Balancer, port: impl Fn(u64) -> u16, apart_ns: u64) -> usize {
        let hashed = |at| balancer.hashed(0, 2, &frame(port(at)), at * apart_ns + 1);
        (0..50).map(hashed).collect::<HashSet<_>>().len()
    }

    #[test]
    fn a_flow_keeps_its_path_and_ports_make_flows() {
        assert_eq!(count(&mut balancer(""), |_| 4000, 1_000_000), 1);
        assert_eq!(count(&mut balancer(""), |at| 4000 + at as u16, 1), 50);
        let blind = "routing_fields = \"addresses\"";
        assert_eq!(count(&mut balancer(blind), |at| 4000 + at as u16, 1), 1);
    }

    #[test]
    fn packets_are_sprayed_and_flowlets_move_behind_a_gap() {
        let sprayed = "routing_unit = \"packet\"";
        assert_eq!(count(&mut balancer(sprayed), |_| 4000, 1), 50);
        let flowlets = "routing_unit = \"flowlet\"\nrouting_gap = \"100 us\"";
        assert_eq!(count(&mut balancer(flowlets), |_| 4000, 90_000), 1);
        assert_eq!(count(&mut balancer(flowlets), |_| 4000, 110_000), 50);
    }
}
