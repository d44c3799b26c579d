//! Rail-optimised fabrics: hosts with several interfaces, of which all first ones meet at leaves of their own, all second
//! ones at others, and so on. A rail is a network by itself, as traffic that changes rails does so inside a host.

use super::chassis::{built, links_text, rate_text};
use super::links::Links;
use super::size::check_size;
use super::values::Values;
use crate::network::Network;

/// `units` of `hosts` each have a leaf on every rail; the leaves of a rail are joined to its `spines`.
pub fn rail(values: &Values<'_>) -> Result<Box<dyn Network>, String> {
    let (units, each) = (values.number("units", 1)?, values.number("hosts", 1)?);
    let rails = values.number("rails", 1)?;
    let spines = values.number_or("spines", 1, Some(1))?.unwrap_or(1);
    let links = Links::read_ethernet(values)?;
    let uplink = values.rate("uplink", links.bits_per_s)?;
    let seed = values.number_or("seed", 0, Some(1))?.unwrap_or(1);
    let hosts = values.hosts_of("total", units.saturating_mul(each))?;
    if rails > MOST_RAILS {
        return Err(format!("rails = {rails}: must be from 1 to {MOST_RAILS}"));
    }
    let ends = hosts.saturating_add(units.saturating_mul(spines));
    check_size(hosts, ends.saturating_mul(2).saturating_mul(rails))?;
    let units = hosts.div_ceil(each);
    let routing = format!("routing = \"hash\"\nrouting_seed = {seed}\n");
    let rails = (1..=rails).map(|rail| {
        let hosts = hosts_of_rail(rail, hosts, (units, each), &links);
        let ids = format!("[[switches]]\nids = \"rail{rail}-leaf[1-{units}]\"\n");
        let joined = (1..=units).filter(|_| units > 1).map(|unit| {
            let (leaf, spine) = (
                format!("rail{rail}-leaf{unit}"),
                format!("rail{rail}-spine[1-{spines}]"),
            );
            let (rate, links) = (rate_text("rate", uplink), links_text(&links));
            format!("[[links]]\nbetween = [\"{leaf}\", \"{spine}\"]\n{rate}{links}")
        });
        [hosts, ids, joined.collect()].concat()
    });
    built(values, &[routing, rails.collect()])
}

/// The interfaces that a host may have.
const MOST_RAILS: u64 = 8;

/// The first rail brings the hosts, the others give them one more interface.
fn hosts_of_rail(rail: u64, hosts: u64, (units, each): (u64, u64), links: &Links) -> String {
    let (table, key) = match rail {
        1 => ("hosts", "ids"),
        _ => ("attachments", "hosts"),
    };
    format!(
        "[[{table}]]\n{key} = \"n[1-{hosts}]\"\nattach = \"rail{rail}-leaf[1-{units}]\"\nper_switch = {each}\n\
         link = {{ {}, {} }}\n",
        rate_text("rate", links.bits_per_s).trim_end(),
        links_text(links).trim_end().replace('\n', ", ")
    )
}
