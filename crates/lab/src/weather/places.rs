//! Where in a lab an event is: which links of the forwarder, which ports.

use weft_fabric::weather::{Event, Heading};
use weft_fabric::{Between, Fabric, Layout, Limit, Mesh, Place, Tree};

use crate::error::{LabError, Result};
use crate::forward::changes::ChangeSender;
use crate::forward::conditions::Conditions;

/// What can change in a lab that has a forwarder.
pub struct Changeable {
    pub places: Places,
    pub links: ChangeSender,
}

/// The limits of a lab by their place.
pub struct Places {
    layout: Layout,
    /// By the number of their link in the forwarder.
    limits: Vec<Limit>,
}

impl Places {
    pub fn new(layout: Layout, limits: Vec<Limit>) -> Self {
        Self { layout, limits }
    }

    /// The conditions of a link without weather.
    pub fn base(&self, link: usize) -> Conditions {
        Conditions::of(&self.limits[link])
    }

    /// The ports of a host, by their number.
    pub fn ports_of(&self, host: usize) -> impl Iterator<Item = usize> {
        let ports = self.layout.ports.iter().enumerate();
        ports.filter_map(move |(number, port)| (port.host == host).then_some(number))
    }

    /// The port of a host in an event's network; refuses where it has none.
    pub fn port_of(&self, event: &Event, host: usize) -> Result<usize> {
        let network = event.network as usize;
        let mut ports = self.ports_of(host);
        ports
            .find(|port| self.layout.ports[*port].network == network)
            .ok_or_else(|| {
                refuse(
                    event,
                    &format!("a host has no link in network {}", network + 1),
                )
            })
    }

    /// The links that an event changes.
    pub fn links_of(&self, event: &Event, fabric: &Fabric) -> Result<Vec<usize>> {
        if !event.change.changes_links() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for host in positions(fabric, &event.ids) {
            found.extend(self.of_port(self.port_of(event, host)?, event.direction));
        }
        for [one, other] in &event.between {
            found.extend(self.of_ends(event, fabric, [one, other])?);
        }
        self.check_load(event, &found)?;
        Ok(found)
    }

    fn of_ends(&self, event: &Event, fabric: &Fabric, ends: [&str; 2]) -> Result<Vec<usize>> {
        let host = |name: &str| fabric.hosts.iter().position(|host| host.name == name);
        match ends.map(host) {
            [Some(host), _] => Ok(self.of_port(self.port_of(event, host)?, event.direction)),
            [None, Some(host)] => {
                let turned = turn(event.direction);
                Ok(self.of_port(self.port_of(event, host)?, turned))
            }
            [None, None] => self.of_trunk(event, ends),
        }
    }

    /// A cable between two hosts has only limits from them.
    fn of_port(&self, port: usize, direction: Heading) -> Vec<usize> {
        let other = match self.layout.between {
            Between::Cable => Place::Up { port: 1 - port },
            _ => Place::Down { port },
        };
        self.of_places([Place::Up { port }, other], direction)
    }

    fn of_trunk(&self, event: &Event, [one, other]: [&str; 2]) -> Result<Vec<usize>> {
        let network = event.network as usize;
        let heading = event.direction;
        let found = match &self.layout.between {
            Between::Cable => Vec::new(),
            Between::Trees(trees) => trees.get(network).map_or(Vec::new(), |tree| {
                match (below(tree, one, other), below(tree, other, one)) {
                    (Some(lower), _) => self.of_places(trunk(network, lower), heading),
                    (None, Some(lower)) => self.of_places(trunk(network, lower), turn(heading)),
                    (None, None) => Vec::new(),
                }
            }),
            Between::Mesh(mesh) => self.of_parallel(mesh, [one, other], heading),
        };
        match found.is_empty() {
            false => Ok(found),
            true => {
                let why = format!(
                    "the link between {one:?} and {other:?} limits nothing, so nothing of it can change"
                );
                Err(LabError::request(
                    format!("weather {:?}: {why}", event.name),
                    "give the link a rate or a delay in the fabric file, such as delay = \"1 us\"",
                ))
            }
        }
    }

    /// All links in parallel between two switches.
    fn of_parallel(&self, mesh: &Mesh, [one, other]: [&str; 2], heading: Heading) -> Vec<usize> {
        let name = |switch: usize| mesh.switches[switch].name.as_str();
        let is_meant = |limit: &Limit| match limit.place {
            Place::Trunk { from, to, .. } if (name(from), name(to)) == (one, other) => {
                heading != Heading::In
            }
            Place::Trunk { from, to, .. } if (name(from), name(to)) == (other, one) => {
                heading != Heading::Out
            }
            _ => false,
        };
        let numbered = self.limits.iter().enumerate();
        let meant = numbered.filter(|(_, limit)| is_meant(limit));
        meant.map(|(number, _)| number).collect()
    }

    /// The limits at two places, of which the first leads out.
    fn of_places(&self, [out, back]: [Place; 2], direction: Heading) -> Vec<usize> {
        let is_meant = |place| match direction {
            Heading::Both => place == out || place == back,
            Heading::Out => place == out,
            Heading::In => place == back,
        };
        let numbered = self.limits.iter().enumerate();
        let meant = numbered.filter(|(_, limit)| is_meant(limit.place));
        meant.map(|(number, _)| number).collect()
    }

    /// Other traffic takes a share of a rate, which must be there.
    fn check_load(&self, event: &Event, links: &[usize]) -> Result<()> {
        let change = &event.change;
        let is_unlimited = |link: &usize| self.limits[*link].direction.rate_bits_per_s.is_none();
        let needs_rate = change.load_ppm.is_some() && change.rate_bits_per_s.is_none();
        match needs_rate && links.iter().any(is_unlimited) {
            false => Ok(()),
            true => Err(refuse(
                event,
                "`load` is a share of a rate, and the link has none",
            )),
        }
    }
}

/// A switch that is right below another.
fn below(tree: &Tree, name: &str, above: &str) -> Option<usize> {
    let switches = &tree.switches;
    let is_it = |at: &usize| {
        let parent = switches[*at].parent.map(|parent| &switches[parent].name);
        switches[*at].name == name && parent.is_some_and(|parent| parent == above)
    };
    (0..switches.len()).find(is_it)
}

fn trunk(network: usize, switch: usize) -> [Place; 2] {
    [
        Place::TrunkUp { network, switch },
        Place::TrunkDown { network, switch },
    ]
}

fn turn(direction: Heading) -> Heading {
    match direction {
        Heading::Both => Heading::Both,
        Heading::Out => Heading::In,
        Heading::In => Heading::Out,
    }
}

/// The hosts of that name, by their position.
pub fn positions(fabric: &Fabric, names: &[String]) -> Vec<usize> {
    let hosts = fabric.hosts.iter().enumerate();
    let named = hosts.filter(|(_, host)| names.contains(&host.name));
    named.map(|(position, _)| position).collect()
}

fn refuse(event: &Event, why: &str) -> LabError {
    LabError::request(format!("weather {:?}: {why}", event.name), "")
}
