//! A fabric built out of namespaces.

mod join;

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use serde::Serialize;
use weft_fabric::{ETHERNET_BYTES, Fabric, Host, Port};

use crate::address::Interface;
use crate::error::{Doing, Result};
use crate::forward::forwarder::Forwarder;
use crate::forward::stats::Stats;
use crate::kernel::inhabitants;
use crate::kernel::interface::{End, LOOPBACK, add_address, add_neighbour, bring_up, set_state};
use crate::kernel::mptcp;
use crate::kernel::namespace::NetworkNamespace;
use crate::kernel::netlink::Netlink;
use crate::kernel::process;
use crate::kernel::token_bucket::TokenBucket;
use crate::topology::{Topology, interface_of};
use crate::warning::Warning;
use crate::weather::Changeable;

/// A lab that is up: it exists as long as this value.
pub struct Lab {
    hosts: Vec<(Host, NetworkNamespace)>,
    /// By network, then by host.
    interfaces: Vec<Interface>,
    core: NetworkNamespace,
    /// Whether hosts are virtual machines, but for those that the fabric calls namespaces.
    has_guests: bool,
    pub warnings: Vec<Warning>,
}

/// How a host is found.
#[derive(Debug, Serialize)]
pub struct Node {
    pub name: String,
    /// The first of the addresses.
    pub address: String,
    /// One for each network that it is in.
    pub addresses: Vec<String>,
    pub fd: i32,
    pub inode: u64,
    pub cookie: Option<u64>,
}

/// What forwards the frames of a lab, and its counters.
pub struct Forwarding {
    pub forwarder: Option<Forwarder>,
    pub stats: Arc<Stats>,
    /// What weather can change, where there is a forwarder.
    pub changeable: Option<Changeable>,
    /// Where the hosts are guests: the ends of their cables, by host.
    pub guest_ends: Vec<Vec<OwnedFd>>,
}

impl Forwarding {
    /// The descriptors of the forwarder's sockets.
    pub fn sockets(&self) -> Vec<i32> {
        self.forwarder
            .as_ref()
            .map(Forwarder::sockets)
            .unwrap_or_default()
    }
}

impl Lab {
    /// Builds a fabric, whose hosts may be `guests`. The calling thread ends up in the core's namespace.
    pub fn build(fabric: &Fabric, guests: bool) -> Result<(Self, Forwarding)> {
        let topology = match guests {
            true => Topology::forwarded(fabric)?,
            false => Topology::of(fabric)?,
        };
        let hosts = fabric
            .hosts
            .iter()
            .map(|host| Ok((host.clone(), new_namespace(fabric.hosts.len())?)));
        let hosts = hosts
            .collect::<io::Result<_>>()
            .doing("create a network namespace")?;
        let core = NetworkNamespace::create().doing("create the core's network namespace")?;
        let mut lab = Self {
            interfaces: interfaces_of(&topology, fabric.hosts.len()),
            hosts,
            core,
            has_guests: guests,
            warnings: Vec::new(),
        };
        let forwarding = match topology {
            Topology::Direct { mtu_bytes } => lab.join_directly(mtu_bytes),
            Topology::Forwarded(layout) => lab.join_by_forwarder(layout),
        };
        lab.core
            .enter()
            .doing("enter the core's network namespace")?;
        Ok((lab, forwarding.doing("build the lab")?))
    }

    /// The hosts as others find them.
    pub fn nodes(&self) -> io::Result<Vec<Node>> {
        let numbered = self.hosts.iter().enumerate();
        let node = |(i, (host, namespace)): (usize, &(Host, NetworkNamespace))| {
            let addresses = self.interfaces_of_host(i).map(|own| own.ip().to_string());
            let addresses: Vec<_> = addresses.collect();
            Ok(Node {
                name: host.name.clone(),
                address: addresses.first().cloned().unwrap_or_default(),
                addresses,
                fd: namespace.fd(),
                inode: namespace.inode()?,
                cookie: namespace.cookie(),
            })
        };
        numbered.map(node).collect()
    }

    /// Gives a port a carrier or takes it away: the host's interface sees a cable or none.
    pub fn set_carrier(&self, port: usize, is_there: bool) -> io::Result<()> {
        set_state(&Netlink::open()?, core_index(port), is_there)
    }

    /// Kills what runs on a host and lets nothing be started there; returns how many processes were killed.
    pub fn switch_off(&self, host: usize) -> usize {
        self.set_loopback(host, false);
        let inode = self.hosts[host].1.inode();
        inode.map_or(0, inhabitants::kill)
    }

    /// Lets programs be started on a host again.
    pub fn switch_on(&self, host: usize) {
        self.set_loopback(host, true);
    }

    /// A host is on as long as its loopback interface is, which `enter` looks at.
    fn set_loopback(&self, host: usize, is_up: bool) {
        let netlink = self.hosts[host].1.enter().and_then(|()| Netlink::open());
        let _ = netlink.and_then(|netlink| set_state(&netlink, LOOPBACK, is_up));
        let _ = self.core.enter();
    }

    /// The number of a host and the descriptor of its namespace.
    pub fn namespace_of(&self, host: &str) -> Option<(usize, i32)> {
        let named = |(one, _): &(Host, NetworkNamespace)| one.name == host;
        let number = self.hosts.iter().position(named)?;
        Some((number, self.hosts[number].1.fd()))
    }

    fn is_guest(&self, host: usize) -> bool {
        self.has_guests && !self.hosts[host].0.namespace
    }

    fn interfaces_of_host(&self, host: usize) -> impl Iterator<Item = Interface> {
        let interfaces = self.interfaces.iter().copied();
        interfaces.filter(move |interface| interface.host == host)
    }

    /// Moves into a host's namespace and gives it its addresses.
    fn configure_host(&self, host: usize) -> io::Result<Netlink> {
        self.hosts[host].1.enter()?;
        let netlink = Netlink::open()?;
        bring_up(&netlink, LOOPBACK)?;
        for own in self.interfaces_of_host(host) {
            bring_up(&netlink, index_of(own))?;
            add_address(&netlink, index_of(own), own)?;
            let others = self.interfaces.iter().copied();
            let others = others.filter(|other| other.network == own.network && *other != own);
            for other in others {
                add_neighbour(&netlink, index_of(own), other)?;
            }
        }
        self.offer_further_addresses(host);
        Ok(netlink)
    }

    /// A connection of Multipath TCP begins on one address; the others must be offered. Many kernels have none of it.
    fn offer_further_addresses(&self, host: usize) {
        let further = self.interfaces_of_host(host).skip(1);
        let further: Vec<_> = further.map(|own| (own.ip(), index_of(own))).collect();
        if !further.is_empty() {
            let _ = mptcp::offer(&further);
        }
    }

    fn install_token_bucket(&mut self, netlink: &Netlink, port: &Port) {
        let Some(rate) = port.up.rate_bits_per_s else {
            return;
        };
        let frame_bytes = port.mtu_bytes + ETHERNET_BYTES;
        let bucket = TokenBucket::new(rate, frame_bytes, port.queue_frames);
        let result = bucket.install(netlink, index_of(interface_of(port)));
        let Err(error) = result else { return };
        if self
            .warnings
            .iter()
            .any(|warning| warning.code == "lab-no-back-pressure")
        {
            return;
        }
        self.warnings.push(Warning {
            code: "lab-no-back-pressure",
            message: format!(
                "the kernel has no token bucket filter ({error}), so frames queue in the lab \
                 instead of in {} and the other hosts",
                self.hosts[port.host].0.name
            ),
            hint: "load the module sch_tbf (modprobe sch_tbf)".into(),
        });
    }

    fn host_end(&self, interface: Interface) -> End<'_> {
        End {
            namespace: &self.hosts[interface.host].1,
            name: interface.name(),
            index: index_of(interface),
            mac: Some(interface.mac()),
        }
    }

    fn core_end(&self, port: usize) -> End<'_> {
        End {
            namespace: &self.core,
            name: format!("port{port}"),
            index: core_index(port),
            mac: None,
        }
    }
}

fn interfaces_of(topology: &Topology, hosts: usize) -> Vec<Interface> {
    match topology {
        Topology::Direct { .. } => {
            let first = |host| Interface { network: 0, host };
            (0..hosts).map(first).collect()
        }
        Topology::Forwarded(layout) => layout.ports.iter().map(interface_of).collect(),
    }
}

/// The index of an interface in its host's namespace: right after the loopback interface.
fn index_of(interface: Interface) -> u32 {
    LOOPBACK + 1 + interface.network as u32
}

/// What every host of every lab has, whatever this machine's own settings are: labs must be comparable.
const SETTINGS: [(&str, &str); 4] = [
    // Only chatter in a measurement.
    ("ipv6/conf/default/disable_ipv6", "1"),
    ("ipv6/conf/all/disable_ipv6", "1"),
    // BBR, which some machines prefer, paces by the rate it has seen: a ping-pong settles at one of several rates by
    // chance, and connections share a limit unevenly for long. The last that is accepted holds: cubic is Linux's own
    // default, but a machine whose default is another may keep it from namespaces, while all let them have Reno.
    ("ipv4/tcp_congestion_control", "reno"),
    ("ipv4/tcp_congestion_control", "cubic"),
];

fn core_index(port: usize) -> u32 {
    LOOPBACK + 1 + port as u32
}

/// From so many hosts on their kernels take frames in on the processors of the agents instead of on the
/// forwarder's, which then carries two to three times as many. A single message takes longer so.
const MANY_HOSTS: usize = 9;

fn new_namespace(hosts: usize) -> io::Result<NetworkNamespace> {
    let namespace = NetworkNamespace::create()?;
    let spread = process::mask_of_others().filter(|_| hosts >= MANY_HOSTS);
    let spread = spread
        .as_ref()
        .map(|mask| ("core/rps_default_mask", mask.as_str()));
    for (name, value) in SETTINGS.into_iter().chain(spread) {
        // Where /proc/sys cannot be written, or the kernel has no such setting, it does little harm.
        let _ = std::fs::write(format!("/proc/sys/net/{name}"), value);
    }
    Ok(namespace)
}
