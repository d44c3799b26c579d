//! `[[weather]]`: what changes, where and when, checked against the fabric.

use weft_plan::reading::{Result, Section, Value, document};
use weft_plan::{Fault, PlanError};

use crate::draft::{list_names, read_set};
use crate::fabric::Fabric;
use crate::link_keys::{pair_off, read_network, read_packet_bytes};
use crate::quantity::{Nanoseconds, read_load, read_loss, read_rate};

use super::{Change, Event, Filter, Heading, Times, Weather};

const FASTEST: f64 = 1e6;

/// Reads the weather of a text for a fabric that is there. The text may be a fabric file itself.
///
/// `origin` is what messages call the text, usually its file name.
pub fn load_weather(text: &str, origin: &str, fabric: &Fabric) -> Result<Weather, PlanError> {
    document(text, origin, &[], |value| {
        let root = Section::unchecked(value, "", "[[weather]]")?;
        let weather = read_weather(&root, fabric)?;
        let of_a_fabric = root.get("hosts").is_some();
        let _ = (root.text("name")?, root.text("title")?);
        if !of_a_fabric {
            root.finish()?;
        }
        if weather.is_none() {
            let right =
                "no weather; write [[weather]] with ids = \"n1\", dead = true, for = \"30 s\"";
            return Err(Fault::missing("weather", right));
        }
        Ok(weather)
    })
}

/// Reads `[[weather]]` and `weather_speed`.
pub(crate) fn read_weather(root: &Section<'_>, fabric: &Fabric) -> Result<Weather> {
    let speed = root.value("weather_speed", |value| {
        let found = match value {
            Value::Float(number) => Some(*number),
            Value::Integer(number) => Some(*number as f64),
            _ => None,
        };
        let found = found.filter(|speed| (1e-3..=FASTEST).contains(speed));
        found.ok_or("must be a number from 0.001 to 1000000, such as 1440 for a day in a minute")
    })?;
    let sections = root.sections("weather")?;
    let events = sections.iter().map(|section| read_event(section, fabric));
    Ok(Weather {
        speed: speed.unwrap_or(1.0),
        events: events.collect::<Result<_>>()?,
    })
}

fn read_event(section: &Section<'_>, fabric: &Fabric) -> Result<Event> {
    let name = section.text("name")?.map(str::to_owned);
    let (ids, between) = read_place(section, fabric)?;
    let known = [
        ("both", Heading::Both),
        ("out", Heading::Out),
        ("in", Heading::In),
    ];
    let direction = section.choice("direction", &known)?;
    let change = read_change(section, fabric.scale)?;
    let event = Event {
        name: name.unwrap_or_else(|| change.keys()),
        ids,
        between,
        network: read_network(section)?,
        direction: direction.unwrap_or(Heading::Both),
        change,
        times: Times::read(section)?,
    };
    section.finish()?;
    check_sense(section, &event)?;
    Ok(event)
}

/// The hosts or the links of an event, which must be there.
fn read_place(section: &Section<'_>, fabric: &Fabric) -> Result<(Vec<String>, Vec<[String; 2]>)> {
    if section.get("between").is_none() {
        let ids = read_set(section, "ids", "n7")?;
        let is_host = |name: &String| fabric.hosts.iter().any(|host| host.name == *name);
        return match ids.iter().find(|name| !is_host(name)) {
            None => Ok((ids, Vec::new())),
            Some(name) => {
                let known = list_names(fabric.hosts.iter().map(|host| host.name.as_str()));
                let message = format!("unknown host {name:?}; the hosts are {known}");
                Err(section.refuse("ids", message))
            }
        };
    }
    section.only_for("ids", "hosts, and `between` to links")?;
    let pairs = match section.texts("between")?[..] {
        [one, other] => pair_off(section, "between", one, other)?,
        _ => return Err(section.refuse("between", "must be two ends, such as [\"n1\", \"n2\"]")),
    };
    let is_link = |[one, other]: &[String; 2]| {
        let mut links = fabric.links.iter();
        links.any(|link| link.joins(one) && link.joins(other))
    };
    match pairs.iter().find(|pair| !is_link(pair)) {
        None => Ok((Vec::new(), pairs)),
        Some([one, other]) => {
            let names: Vec<_> = fabric
                .links
                .iter()
                .map(|link| link.ends.join("-"))
                .collect();
            let known = list_names(names.iter().map(String::as_str));
            let message = format!("no link joins {one:?} and {other:?}; the links are {known}");
            Err(section.refuse("between", message))
        }
    }
}

fn read_change(section: &Section<'_>, scale: f64) -> Result<Change> {
    let blocks = match section.get("blocks") {
        None => Vec::new(),
        Some(_) => {
            let filter = |text| Filter::parse(text).map_err(|why| section.refuse("blocks", why));
            section
                .texts("blocks")?
                .into_iter()
                .map(filter)
                .collect::<Result<_>>()?
        }
    };
    let is_set = |key| Ok(section.flag(key)?.unwrap_or(false));
    Ok(Change {
        rate_bits_per_s: read_rate(section, "rate", scale)?,
        delay_ns: section.parsed("delay", Nanoseconds::parse)?,
        jitter_ns: section.parsed("jitter", Nanoseconds::parse)?,
        loss_ppm: read_loss(section)?,
        load_ppm: read_load(section)?,
        drops_above_bytes: read_packet_bytes(section, "drops_above_bytes")?,
        blocks,
        dead: is_set("dead")?,
        unplugged: is_set("unplugged")?,
        off: is_set("off")?,
    })
}

/// An event must change something, and what it changes must be possible where it is.
fn check_sense(section: &Section<'_>, event: &Event) -> Result<()> {
    let Event { change, .. } = event;
    if *change == Change::default() {
        let example = "add for example loss = \"5 %\", delay = \"5 ms\", dead = true or off = true";
        return Err(section.refuse("name", format!("the event changes nothing; {example}")));
    }
    for (key, is_set) in [("unplugged", change.unplugged), ("off", change.off)] {
        if is_set && event.ids.is_empty() {
            return Err(section.refuse(key, "is for hosts: write ids = \"n1\""));
        }
        if is_set && event.direction != Heading::Both {
            return Err(section.refuse(key, "has no direction; remove direction"));
        }
    }
    Ok(())
}
