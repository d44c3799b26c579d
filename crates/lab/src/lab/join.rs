//! How a lab's hosts are joined: by a cable alone, or by what forwards their frames.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use weft_fabric::{ETHERNET_BYTES, Layout};

use super::{Forwarding, Lab, core_index};
use crate::clock;
use crate::forward::changes;
use crate::forward::forwarder::Forwarder;
use crate::forward::links::Links;
use crate::forward::packet_socket::PacketSocket;
use crate::forward::stats::Stats;
use crate::kernel::interface::{bring_up, create_cable, switch_offloads_off};
use crate::kernel::netlink::Netlink;
use crate::topology::interface_of;
use crate::weather::{Changeable, Places};

impl Lab {
    pub(super) fn join_directly(&mut self, mtu_bytes: u32) -> io::Result<Forwarding> {
        self.core.enter()?;
        let [one, other] = [0, 1].map(|i| self.host_end(self.interfaces[i]));
        create_cable(&Netlink::open()?, [&one, &other], mtu_bytes)?;
        for host in 0..self.hosts.len() {
            self.configure_host(host)?;
        }
        Ok(Forwarding {
            forwarder: None,
            stats: Arc::new(Stats::new(0, clock::now_ns())),
            changeable: None,
            guest_ends: Vec::new(),
        })
    }

    /// Joins namespaces by cables to the core, and guests by pairs of sockets, to one forwarder.
    pub(super) fn join_by_forwarder(&mut self, layout: Layout) -> io::Result<Forwarding> {
        self.core.enter()?;
        let core = Netlink::open()?;
        for (number, port) in layout.ports.iter().enumerate() {
            if self.is_guest(port.host) {
                continue;
            }
            let host_end = self.host_end(self.interfaces[number]);
            create_cable(&core, [&self.core_end(number), &host_end], port.mtu_bytes)?;
            // Before the host's end, which then can send as soon as it is up. Otherwise the kernel
            // gets round to that later, and drops what is sent until then.
            bring_up(&core, core_index(number))?;
        }
        for host in 0..self.hosts.len() {
            match self.is_guest(host) {
                true => self.switch_on(host),
                false => self.configure_namespace(host, &layout)?,
            }
        }
        self.core.enter()?;
        let (sockets, guest_ends) = self.sockets(&layout)?;
        let forwarding = self.forward(layout, sockets)?;
        Ok(Forwarding {
            guest_ends,
            ..forwarding
        })
    }

    fn configure_namespace(&mut self, host: usize, layout: &Layout) -> io::Result<()> {
        let netlink = self.configure_host(host)?;
        for port in layout.ports.iter().filter(|port| port.host == host) {
            switch_offloads_off(&interface_of(port).name())?;
            self.install_token_bucket(&netlink, port);
        }
        Ok(())
    }

    /// The forwarder's socket for each port, and by host the ends of cables that its emulator gets.
    /// A guest behind another has its cable from that one, which gets both ends that it is to bridge, behind its own.
    fn sockets(&self, layout: &Layout) -> io::Result<(Vec<PacketSocket>, Vec<Vec<OwnedFd>>)> {
        let none = || self.hosts.iter().map(|_| Vec::new()).collect::<Vec<_>>();
        let (mut guest_ends, mut bridged) = (none(), none());
        let mut sockets = Vec::new();
        for (number, port) in layout.ports.iter().enumerate() {
            if !self.is_guest(port.host) {
                sockets.push(PacketSocket::open(core_index(number))?);
                continue;
            }
            let (ours, theirs) = PacketSocket::to_guest()?;
            sockets.push(ours);
            match self.bridge_of(port.host) {
                None => guest_ends[port.host].push(theirs),
                Some(bridge) => {
                    let [inner, outer] = PacketSocket::between_guests()?;
                    guest_ends[port.host].push(inner);
                    bridged[bridge].extend([outer, theirs]);
                }
            }
        }
        for (own, further) in guest_ends.iter_mut().zip(bridged) {
            own.extend(further);
        }
        Ok((sockets, guest_ends))
    }

    /// The number of the host that a guest is behind.
    fn bridge_of(&self, host: usize) -> Option<usize> {
        let behind = self.hosts[host].0.guest.as_ref()?.behind.as_ref()?;
        self.hosts.iter().position(|(one, _)| one.name == *behind)
    }

    /// A forwarder between sockets, one for each port.
    fn forward(&self, layout: Layout, sockets: Vec<PacketSocket>) -> io::Result<Forwarding> {
        let packets = layout.ports.iter().map(|port| port.mtu_bytes);
        let mtu_bytes = packets.max().unwrap_or(0);
        let links = Links::new(&layout);
        let shortest_frame_ns = links.shortest_frame_ns(mtu_bytes);
        let stats = Arc::new(Stats::new(shortest_frame_ns, clock::now_ns()));
        let frame_bytes = (mtu_bytes + ETHERNET_BYTES) as usize;
        let interfaces = self.interfaces.clone();
        let places = Places::new(layout, links.limits().to_vec());
        let (sender, changes) = changes::channel()?;
        let forwarder = Forwarder::new(
            sockets,
            interfaces,
            links,
            changes,
            frame_bytes,
            Arc::clone(&stats),
        )?;
        Ok(Forwarding {
            forwarder: Some(forwarder),
            stats,
            changeable: Some(Changeable {
                places,
                links: sender,
            }),
            guest_ends: Vec::new(),
        })
    }
}
