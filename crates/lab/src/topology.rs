//! What the lab can build of a fabric: two hosts on one cable, or hosts around one switch.

use weft_fabric::{Fabric, Lane, Link, Switch};

use crate::error::{LabError, Result};

/// Namespaces are cheap, but the tables of neighbours grow with the square of the hosts.
const MOST_HOSTS: usize = 512;

/// How the hosts are joined.
#[derive(Debug)]
pub enum Topology {
    /// One cable that limits nothing: the kernel joins the hosts, the keeper sees no frame.
    Direct { mtu_bytes: u32 },
    /// Every host has a port on the keeper, which forwards its frames.
    Forwarded { ports: Vec<Port>, switched: bool },
}

/// A host's connection to the keeper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// From the host.
    pub up: Lane,
    /// To the host.
    pub down: Lane,
    pub mtu_bytes: u32,
    pub queue_frames: u32,
}

impl Topology {
    /// Finds out how to build a fabric, or refuses.
    pub fn of(fabric: &Fabric) -> Result<Self> {
        check_size(fabric)?;
        match (&fabric.hosts[..], &fabric.switches[..], &fabric.links[..]) {
            ([_, _], [], [link]) => Ok(cable(fabric, link)),
            (_, [], _) => Err(refuse(
                fabric,
                "without a switch there must be two hosts and one link between them",
            )),
            (_, [switch], _) => star(fabric, switch),
            _ => Err(refuse(fabric, "there must be at most one switch")),
        }
    }
}

fn check_size(fabric: &Fabric) -> Result<()> {
    match fabric.hosts.len() {
        2..=MOST_HOSTS => Ok(()),
        count => {
            let hint = format!("{count} hosts; there must be from 2 to {MOST_HOSTS}");
            Err(refuse(fabric, &hint))
        }
    }
}

/// Both ends of a cable are ports; each has the lane that leads away from it.
fn cable(fabric: &Fabric, link: &Link) -> Topology {
    if link.is_unshaped() {
        return Topology::Direct {
            mtu_bytes: link.mtu_bytes,
        };
    }
    let ports = fabric
        .hosts
        .iter()
        .map(|host| port_of(&host.name, link))
        .collect();
    Topology::Forwarded {
        ports,
        switched: false,
    }
}

/// The port at a host's end of its link.
fn port_of(host: &str, link: &Link) -> Port {
    let (up, down) = lanes_from(host, link);
    Port {
        up,
        down,
        mtu_bytes: link.mtu_bytes,
        queue_frames: link.queue_frames,
    }
}

fn star(fabric: &Fabric, switch: &Switch) -> Result<Topology> {
    if switch.capacity_bits_per_s.is_some() || switch.parent.is_some() {
        let hint = format!(
            "the switch {:?} has an inner structure or capacity",
            switch.name
        );
        return Err(refuse(fabric, &hint));
    }
    let only_port_of = |host: &str| {
        let links: Vec<_> = fabric.links_of(host).collect();
        let [link] = links[..] else {
            let hint = format!("the host {host:?} has {} links, not one", links.len());
            return Err(refuse(fabric, &hint));
        };
        Ok(port_of(host, link))
    };
    let ports = fabric
        .hosts
        .iter()
        .map(|host| only_port_of(&host.name))
        .collect::<Result<_>>()?;
    if fabric.links.len() != fabric.hosts.len() {
        return Err(refuse(fabric, "a link joins two hosts past the switch"));
    }
    Ok(Topology::Forwarded {
        ports,
        switched: true,
    })
}

fn lanes_from(host: &str, link: &Link) -> (Lane, Lane) {
    match link.ends[0] == host {
        true => (link.forward, link.backward),
        false => (link.backward, link.forward),
    }
}

fn refuse(fabric: &Fabric, why: &str) -> LabError {
    let message = format!(
        "the lab cannot build the fabric {:?} yet: {why}",
        fabric.name
    );
    let hint = "it builds two hosts on one cable, or hosts around one switch without a capacity";
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

    fn refusal(text: &str) -> String {
        topology(text).unwrap_err().message
    }

    #[test]
    fn each_end_of_a_cable_sends_on_its_own_lane() {
        let cable = "name = \"p\"\n[[hosts]]\nids = \"n[1-2]\"\n[[links]]\n\
                     between = [\"n2\", \"n1\"]\nrate = \"1 Gb/s\"\nrate_back = \"2 Gb/s\"";
        let Ok(Topology::Forwarded {
            ports,
            switched: false,
        }) = topology(cable)
        else {
            panic!("not a cable");
        };
        assert_eq!(
            ports[0].up.rate_bits_per_s.map(|r| r.0),
            Some(2_000_000_000)
        );
        assert_eq!(ports[0].up, ports[1].down);
    }

    #[test]
    fn a_cable_without_limits_needs_no_keeper() {
        let direct = "name = \"p\"\n[[hosts]]\nids = \"n[1-2]\"\n[[links]]\n\
                      between = [\"n1\", \"n2\"]\nmtu_bytes = 9000";
        assert!(matches!(
            topology(direct),
            Ok(Topology::Direct { mtu_bytes: 9000 })
        ));
    }

    #[test]
    fn a_star_has_a_port_for_each_host() {
        let Ok(Topology::Forwarded {
            ports,
            switched: true,
        }) = topology(STAR)
        else {
            panic!("not a star");
        };
        assert_eq!(ports.len(), 3);
        assert_eq!(ports[2].down.rate_bits_per_s.map(|r| r.0), Some(10_000_000));
    }

    #[test]
    fn what_cannot_be_built_is_refused_with_the_reason() {
        let capacity = format!("{STAR}capacity = \"1 Gb/s\"");
        assert!(refusal(&capacity).contains("\"s\" has an inner structure"));
        let two = STAR.replace("ids = \"s\"", "ids = \"s,t\"");
        assert!(refusal(&two).contains("at most one switch"));
        let past = format!("{STAR}[[links]]\nbetween = [\"n1\", \"n2\"]");
        assert!(refusal(&past).contains("\"n1\" has 2 links"));
        assert!(refusal(&STAR.replace("n[1-3]", "n1")).contains("1 hosts"));
        assert!(refusal("name = \"two\"\n[[hosts]]\nids = \"a,b\"").contains("one link"));
    }
}
