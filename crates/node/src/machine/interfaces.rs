//! The network interfaces of a node, and the bus that each is on.

use weft_plan::reading::{SPAN, Section};

use super::description::{Buses, Interface, IoBus, Machine};
use super::keys::{Result, table};
use super::processor::Processor;

/// More would make the search for the next event slow.
const MOST_INTERFACES: usize = 16;

impl Machine {
    /// The bus that an interface is on.
    pub fn bus_of(&self, interface: usize) -> IoBus {
        match self.interfaces[interface].bus {
            0 => self.io_bus,
            bus => self.io_buses[bus - 1].1,
        }
    }
}

/// The buses of `io_buses`.
pub fn read_buses(root: &Section, read: fn(&Section) -> Result<IoBus>) -> Result<Buses> {
    if root.get("io_buses").is_none() {
        return Ok(Vec::new());
    }
    let rows = table(root, "io_buses")?;
    let bus = |name: &str| {
        let value = rows.require(name, "describe the bus")?;
        let path = rows.key(name);
        let section = Section::unchecked(value, &path, "{ rate = \"2.112 Gb/s\", ... }")?;
        Ok((name.to_owned(), read(&section)?))
    };
    rows.names().map(bus).collect()
}

/// The rows of `interfaces`; without any there is one, on `io_bus`.
pub fn read_interfaces(
    root: &Section,
    buses: &Buses,
    processors: &[Processor],
) -> Result<Vec<Interface>> {
    if root.get("interfaces").is_none() {
        return Ok(vec![Interface {
            name: "nic".to_owned(),
            bus: 0,
            gap_ps: 0,
            interrupt: None,
        }]);
    }
    let rows = table(root, "interfaces")?;
    let names: Vec<_> = rows.names().collect();
    if !(1..=MOST_INTERFACES).contains(&names.len()) {
        let right = format!("give 1 to {MOST_INTERFACES} of them, such as [interfaces.eth1]");
        return Err(root.refuse("interfaces", right));
    }
    let buses = (1..).zip(buses).map(|(at, (name, _))| (name.as_str(), at));
    let buses: Vec<_> = buses.collect();
    let hosts = (0..).zip(processors).filter(|(_, one)| !one.on_nic);
    let hosts: Vec<_> = hosts.map(|(at, one)| (one.name.as_str(), at)).collect();
    let interface = |name: &str| {
        let value = rows.require(name, "describe the interface")?;
        let path = rows.key(name);
        let example = "[interfaces.eth1]";
        let section = Section::of(value, &path, &["bus", "gap", "interrupt"], example)?;
        Ok(Interface {
            name: name.to_owned(),
            bus: section.choice("bus", &buses)?.unwrap_or(0),
            gap_ps: section.quantity("gap", &SPAN, 0)?.unwrap_or(0),
            interrupt: section.choice("interrupt", &hosts)?,
        })
    };
    names.into_iter().map(interface).collect()
}
