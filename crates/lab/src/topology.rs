//! How to build a fabric: which host has a port where, and the switches between them.

use weft_fabric::{Between, Fabric, Layout, Mesh, Port, Switch};

use crate::address::Interface;
use crate::error::{LabError, Result};

/// Namespaces are cheap, but the tables of neighbours grow with the square of the hosts.
const MOST_HOSTS: usize = 512;
/// As many as the addresses have room for, and more than any fabric needs.
const MOST_NETWORKS: u32 = 8;

/// How the hosts are joined.
#[derive(Debug)]
pub enum Topology {
    /// One cable that limits nothing: the kernel joins the hosts, the daemon sees no frame.
    Direct { mtu_bytes: u32 },
    /// Every interface of a host is a port of the daemon, which forwards its frames.
    Forwarded(Layout),
}

/// The host's end of a port.
pub fn interface_of(port: &Port) -> Interface {
    Interface {
        network: port.network,
        host: port.host,
    }
}

impl Topology {
    /// Every interface a port, as guests need it; or refuses.
    pub fn forwarded(fabric: &Fabric) -> Result<Self> {
        check_size(fabric)?;
        check_capacities(fabric)?;
        let layout = Layout::of(fabric).map_err(|why| refuse(fabric, &why))?;
        if let Between::Mesh(mesh) = &layout.between {
            check_mesh(fabric, &layout.ports, mesh)?;
        }
        Ok(Self::Forwarded(layout))
    }

    /// Finds out how to build a fabric, or refuses.
    pub fn of(fabric: &Fabric) -> Result<Self> {
        refuse_guests(fabric)?;
        let forwarded = Self::forwarded(fabric)?;
        let Self::Forwarded(layout) = &forwarded else {
            return Ok(forwarded);
        };
        let has_limits = !fabric.paths.is_empty() || !fabric.weather.is_none();
        let is_cable = matches!(layout.between, Between::Cable) && !has_limits;
        match &fabric.links[..] {
            [link] if is_cable && link.is_unshaped() => Ok(Self::Direct {
                mtu_bytes: link.mtu_bytes,
            }),
            _ => Ok(forwarded),
        }
    }
}

/// Namespaces share this machine's kernel, so they are no virtual machines.
fn refuse_guests(fabric: &Fabric) -> Result<()> {
    let Some(host) = fabric.hosts.iter().find(|host| host.guest.is_some()) else {
        return Ok(());
    };
    let (fabric, name) = (&fabric.name, &host.name);
    let message = format!("{name:?} of the fabric {fabric:?} is a virtual machine");
    Err(LabError::request(
        message,
        "--on vm: boots them, beside hosts with kind = \"namespace\"; `weft vm boot` keeps them up",
    ))
}

fn check_size(fabric: &Fabric) -> Result<()> {
    let networks = fabric.links.iter().map(|link| link.network + 1).max();
    if networks.is_some_and(|count| count > MOST_NETWORKS) {
        return Err(refuse(
            fabric,
            &format!("more than {MOST_NETWORKS} networks"),
        ));
    }
    match fabric.hosts.len() {
        2..=MOST_HOSTS => Ok(()),
        count => {
            let hint = format!("{count} hosts; there must be from 2 to {MOST_HOSTS}");
            Err(refuse(fabric, &hint))
        }
    }
}

/// All hosts of a network reach each other, and every link carries what they send.
fn check_mesh(fabric: &Fabric, ports: &[Port], mesh: &Mesh) -> Result<()> {
    for port in ports {
        let first = ports.iter().find(|one| one.network == port.network);
        let first = first.expect("it is one of them");
        if !mesh.reaches(first.switch, port.switch) {
            let [one, other] = [first, port].map(|port| &fabric.hosts[port.host].name);
            let why = format!("there is no path from {one:?} to {other:?}");
            return Err(refuse(fabric, &why));
        }
    }
    let largest = ports.iter().map(|port| port.mtu_bytes).max().unwrap_or(0);
    let is_switch = |end: &String| mesh.switches.iter().any(|switch| switch.name == *end);
    let mut trunks = fabric
        .links
        .iter()
        .filter(|one| one.ends.iter().all(is_switch));
    match trunks.find(|link| link.mtu_bytes < largest) {
        None => Ok(()),
        Some(link) => {
            let ([one, other], mtu_bytes) = (&link.ends, link.mtu_bytes);
            let why = format!(
                "the link between {one:?} and {other:?} carries packets of {mtu_bytes} bytes, but hosts send \
                 packets of {largest}; give it mtu_bytes = {largest}"
            );
            Err(refuse(fabric, &why))
        }
    }
}

/// The forwarder gives a limit one rate.
fn check_capacities(fabric: &Fabric) -> Result<()> {
    let by_ports = |switch: &&Switch| switch.capacity_by_ports.is_some();
    match fabric.switches.iter().find(by_ports) {
        None => Ok(()),
        Some(switch) => {
            let message = format!(
                "the lab cannot build the fabric {:?}: the capacity of {:?} depends on how many ports contend",
                fabric.name, switch.name
            );
            let hint = "give it one capacity, or simulate it (--on sim:)";
            Err(LabError::request(message, hint))
        }
    }
}

fn refuse(fabric: &Fabric, why: &str) -> LabError {
    let message = format!("the lab cannot build the fabric {:?}: {why}", fabric.name);
    let hint = "it builds two hosts on one cable, or hosts around switches";
    LabError::request(message, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAR: &str = r#"
name = "star"
[[hosts]]
ids = "n[1-3]"
attach = "s"
link = { rate = "100 Mb/s", rate_back = "10 Mb/s" }
[[switches]]
ids = "s"
"#;

    fn topology(text: &str) -> Result<Topology> {
        Topology::of(&weft_fabric::load(text, "test", 1.0).unwrap())
    }

    fn layout(text: &str) -> Layout {
        match topology(text) {
            Ok(Topology::Forwarded(layout)) => layout,
            other => panic!("not forwarded: {other:?}"),
        }
    }

    fn trees_of(layout: &Layout) -> usize {
        match &layout.between {
            Between::Trees(trees) => trees.len(),
            other => panic!("no trees: {other:?}"),
        }
    }

    fn refusal(text: &str) -> String {
        topology(text).unwrap_err().message
    }

    #[test]
    fn a_capacity_that_depends_on_ports_is_refused() {
        let text = format!("{STAR}capacity = {{ 2 = \"50 Mb/s\", 3 = \"60 Mb/s\" }}");
        let fabric = weft_fabric::load(&text, "test", 1.0).unwrap();
        let said = Topology::of(&fabric).unwrap_err().message;
        assert!(
            said.contains("\"s\" depends on how many ports contend"),
            "{said}"
        );
    }

    #[test]
    fn each_end_of_a_cable_sends_on_its_own_direction() {
        let cable = "name = \"p\"\n[[hosts]]\nids = \"n[1-2]\"\n[[links]]\n\
                     between = [\"n2\", \"n1\"]\nrate = \"1 Gb/s\"\nrate_back = \"2 Gb/s\"";
        let ports = layout(cable).ports;
        let rate = ports[0].up.rate_bits_per_s;
        assert_eq!(rate.map(|rate| rate.0), Some(2_000_000_000));
        assert_eq!(ports[0].up, ports[1].down);
    }

    #[test]
    fn a_cable_without_limits_needs_no_daemon() {
        let direct = "name = \"p\"\n[[hosts]]\nids = \"n[1-2]\"\n[[links]]\n\
                      between = [\"n1\", \"n2\"]\nmtu_bytes = 9000";
        let is_direct = |text: &str| matches!(topology(text), Ok(Topology::Direct { .. }));
        assert!(is_direct(direct));
        assert!(!is_direct(&format!(
            "{direct}\n[[overrides]]\nids = \"n1\"\ndead = true"
        )));
        let path = "[[paths]]\nfrom = \"n1\"\nto = \"n2\"\ndelay = \"1 ms\"";
        assert!(!is_direct(&format!("{direct}\n{path}")));
    }

    #[test]
    fn a_star_has_a_port_for_each_host() {
        let layout = layout(STAR);
        assert_eq!((layout.ports.len(), trees_of(&layout)), (3, 1));
        let rate = layout.ports[2].down.rate_bits_per_s;
        assert_eq!(rate.map(|rate| rate.0), Some(10_000_000));
    }

    #[test]
    fn a_second_network_has_ports_of_its_own() {
        let second = "[[attachments]]\nhosts = \"n[2-3]\"\nattach = \"t\"\n\
                      [[switches]]\nids = \"t\"";
        let layout = layout(&format!("{STAR}{second}"));
        let interfaces: Vec<_> = layout.ports.iter().map(|p| (p.network, p.host)).collect();
        assert_eq!(interfaces, [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2)]);
        assert_eq!(trees_of(&layout), 2);
    }

    #[test]
    fn what_cannot_be_built_is_refused_with_the_reason() {
        let past = format!("{STAR}[[links]]\nbetween = [\"n1\", \"n2\"]");
        assert!(refusal(&past).contains("\"n1\" has 2 links in network 1"));
        assert!(refusal(&STAR.replace("n[1-3]", "n1")).contains("1 hosts"));
        assert!(refusal("name = \"two\"\n[[hosts]]\nids = \"a,b\"").contains("one link"));
        let apart = STAR.replace("attach = \"s\"", "attach = \"s[1-2]\"\nper_switch = 2");
        let apart = apart.replace("ids = \"s\"", "ids = \"s[1-2]\"");
        assert!(refusal(&apart).contains("no path from \"n1\" to \"n3\""));
        let again = "[[links]]\nbetween = [\"s1\", \"s2\"]\n";
        assert!(topology(&format!("{apart}{again}")).is_ok());
        assert!(refusal(&format!("{apart}{again}{again}")).contains("closes a loop"));
        let hashed = |text: &str| format!("routing = \"hash\"\n{text}");
        assert!(topology(&hashed(&format!("{apart}{again}{again}"))).is_ok());
        assert!(refusal(&hashed(&apart)).contains("no path from \"n1\" to \"n3\""));
        let jumbo = apart.replace("rate = ", "mtu_bytes = 9000, rate = ");
        assert!(refusal(&format!("{jumbo}{again}")).contains("packets of 1500 bytes"));
        assert!(refusal(&hashed(&format!("{jumbo}{again}"))).contains("packets of 1500 bytes"));
    }
}
