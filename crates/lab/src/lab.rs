//! A fabric built out of namespaces.

use std::io;
use std::sync::Arc;

use serde::Serialize;
use weft_fabric::{Fabric, Host};

use crate::address::{ip_of, mac_of};
use crate::error::{Doing, Result};
use crate::forwarder::Forwarder;
use crate::interface::{
    End, LOOPBACK, add_address, add_neighbour, bring_up, create_cable, switch_offloads_off,
};
use crate::namespace::NetworkNamespace;
use crate::netlink::Netlink;
use crate::packet_socket::PacketSocket;
use crate::plant::Plant;
use crate::stats::Stats;
use crate::token_bucket::TokenBucket;
use crate::topology::{Port, Topology};
use crate::warning::Warning;
use crate::wire::HEADER_BYTES;

/// The index of `eth0` in every host's namespace, right after the loopback interface.
const ETH0: u32 = 2;

/// A lab that is up: it exists as long as this value.
pub struct Lab {
    hosts: Vec<(Host, NetworkNamespace)>,
    core: NetworkNamespace,
    pub warnings: Vec<Warning>,
}

/// How a host is found.
#[derive(Debug, Serialize)]
pub struct Node {
    pub name: String,
    pub address: String,
    pub fd: i32,
    pub inode: u64,
}

/// What forwards the frames of a lab, and its counters.
pub struct Forwarding {
    pub forwarder: Option<Forwarder>,
    pub stats: Arc<Stats>,
}

impl Lab {
    /// Builds a fabric. The calling thread ends up in the core's namespace.
    pub fn build(fabric: &Fabric) -> Result<(Self, Forwarding)> {
        let topology = Topology::of(fabric)?;
        let hosts = fabric
            .hosts
            .iter()
            .map(|host| Ok((host.clone(), new_namespace()?)));
        let hosts = hosts
            .collect::<io::Result<_>>()
            .doing("create a network namespace")?;
        let core = NetworkNamespace::create().doing("create the core's network namespace")?;
        let mut lab = Self {
            hosts,
            core,
            warnings: Vec::new(),
        };
        let forwarding = match &topology {
            Topology::Direct { mtu_bytes } => lab.join_directly(*mtu_bytes),
            Topology::Forwarded { ports, switched } => lab.join_by_forwarder(ports, *switched),
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
            Ok(Node {
                name: host.name.clone(),
                address: ip_of(i).to_string(),
                fd: namespace.fd(),
                inode: namespace.inode()?,
            })
        };
        numbered.map(node).collect()
    }

    fn join_directly(&mut self, mtu_bytes: u32) -> io::Result<Forwarding> {
        self.core.enter()?;
        create_cable(
            &Netlink::open()?,
            [&self.host_end(0), &self.host_end(1)],
            mtu_bytes,
        )?;
        for host in 0..self.hosts.len() {
            self.configure_host(host)?;
        }
        Ok(Forwarding {
            forwarder: None,
            stats: Arc::new(Stats::new(0)),
        })
    }

    fn join_by_forwarder(&mut self, ports: &[Port], switched: bool) -> io::Result<Forwarding> {
        self.core.enter()?;
        let core = Netlink::open()?;
        for (host, port) in ports.iter().enumerate() {
            create_cable(
                &core,
                [&self.core_end(host), &self.host_end(host)],
                port.mtu_bytes,
            )?;
        }
        for (host, port) in ports.iter().enumerate() {
            let netlink = self.configure_host(host)?;
            switch_offloads_off("eth0")?;
            self.install_token_bucket(&netlink, host, port);
        }
        self.core.enter()?;
        let sockets = (0..ports.len()).map(|host| open_port(&core, host));
        let sockets = sockets.collect::<io::Result<Vec<_>>>()?;
        let mtu_bytes = ports.iter().map(|port| port.mtu_bytes).max().unwrap_or(0);
        let plant = Plant::new(ports, switched);
        let stats = Arc::new(Stats::new(plant.shortest_frame_ns(mtu_bytes)));
        let frame_bytes = (mtu_bytes + HEADER_BYTES) as usize;
        let forwarder = Forwarder::new(sockets, plant, frame_bytes, Arc::clone(&stats))?;
        Ok(Forwarding {
            forwarder: Some(forwarder),
            stats,
        })
    }

    /// Moves into a host's namespace and gives it its addresses.
    fn configure_host(&self, host: usize) -> io::Result<Netlink> {
        self.hosts[host].1.enter()?;
        let netlink = Netlink::open()?;
        bring_up(&netlink, LOOPBACK)?;
        bring_up(&netlink, ETH0)?;
        add_address(&netlink, ETH0, host)?;
        let others = (0..self.hosts.len()).filter(|other| *other != host);
        others
            .into_iter()
            .try_for_each(|other| add_neighbour(&netlink, ETH0, other))?;
        Ok(netlink)
    }

    fn install_token_bucket(&mut self, netlink: &Netlink, host: usize, port: &Port) {
        let Some(rate) = port.up.rate_bits_per_s else {
            return;
        };
        let frame_bytes = port.mtu_bytes + HEADER_BYTES;
        let bucket = TokenBucket::new(rate, frame_bytes, port.queue_frames);
        let result = bucket.install(netlink, ETH0);
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
                self.hosts[host].0.name
            ),
            hint: "load the module sch_tbf (modprobe sch_tbf)".into(),
        });
    }

    fn host_end(&self, host: usize) -> End<'_> {
        let namespace = &self.hosts[host].1;
        End {
            namespace,
            name: "eth0".into(),
            index: ETH0,
            mac: Some(mac_of(host)),
        }
    }

    fn core_end(&self, host: usize) -> End<'_> {
        let name = format!("port{host}");
        End {
            namespace: &self.core,
            name,
            index: core_index(host),
            mac: None,
        }
    }
}

/// What every host of every lab has, whatever this machine's own settings are: labs must be comparable.
const SETTINGS: [(&str, &str); 3] = [
    // Only chatter in a measurement.
    ("ipv6/conf/default/disable_ipv6", "1"),
    ("ipv6/conf/all/disable_ipv6", "1"),
    // Linux's own default. BBR, which some machines prefer, paces by the rate it has seen, and a ping-pong settles
    // at one of several rates by chance.
    ("ipv4/tcp_congestion_control", "cubic"),
];

fn core_index(host: usize) -> u32 {
    2 + host as u32
}

fn open_port(core: &Netlink, host: usize) -> io::Result<PacketSocket> {
    bring_up(core, core_index(host))?;
    PacketSocket::open(core_index(host))
}

fn new_namespace() -> io::Result<NetworkNamespace> {
    let namespace = NetworkNamespace::create()?;
    for (name, value) in SETTINGS {
        // Where /proc/sys cannot be written, or the kernel has no such setting, it does little harm.
        let _ = std::fs::write(format!("/proc/sys/net/{name}"), value);
    }
    Ok(namespace)
}
