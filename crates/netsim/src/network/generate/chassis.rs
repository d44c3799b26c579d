//! Switches as they are sold and put together: a chassis of line cards, and switches in a stack.
//!
//! Both take a `total` of hosts, which fill them in order; a card or a switch without hosts is not there.
//!
//! These are written as the file of a fabric would be, so that their insides mean the same as in a file.

use super::links::Links;
use super::size::check_size;
use super::values::Values;
use crate::network::{Network, of_fabric};

/// Line cards on a backplane, each with chips that pass no more than `chip` in each direction; a card's link to the
/// backplane carries `card`.
pub fn chassis(values: &Values<'_>) -> Result<Box<dyn Network>, String> {
    let (cards, chips) = (values.number("cards", 1)?, values.number("chips", 1)?);
    let each = values.number("hosts", 1)?;
    let links = Links::read_ethernet(values)?;
    let (chip, card) = (
        values.rate("chip", f64::INFINITY)?,
        values.rate("card", f64::INFINITY)?,
    );
    let on_card = chips.saturating_mul(each);
    let hosts = values.hosts_of("total", cards.saturating_mul(on_card))?;
    check_size(hosts, hosts.saturating_mul(2))?;
    let cards = hosts.div_ceil(on_card);
    let text = [
        hosts_text(
            hosts,
            &format!("card[1-{cards}]/chip[1-{chips}]"),
            each,
            &links,
        ),
        format!(
            "[[switches]]\nids = \"card[1-{cards}]/chip[1-{chips}]\"\nports = {each}\n{}",
            rate_text("capacity", chip)
        ),
        format!(
            "[[links]]\nbetween = [\"card[1-{cards}]\", \"backplane\"]\ninside = true\n{}",
            trunk_text(card, &links)
        ),
    ];
    built(values, &text)
}

/// Switches that are joined in a row, or where `join` is `star` each with a link of its own to one above all.
pub fn stacked(values: &Values<'_>) -> Result<Box<dyn Network>, String> {
    let (switches, each) = (values.number("switches", 1)?, values.number("hosts", 1)?);
    let links = Links::read_ethernet(values)?;
    let uplink = values.rate("uplink", links.bits_per_s)?;
    let is_star = values.choice("join", &[("row", false), ("star", true)])?;
    let hosts = values.hosts_of("total", switches.saturating_mul(each))?;
    check_size(hosts, hosts.saturating_mul(2))?;
    let switches = hosts.div_ceil(each);
    let between = match (switches, is_star) {
        (1, false) => None,
        (_, false) => Some(format!(
            "\"switch[1-{}]\", \"switch[2-{switches}]\"",
            switches - 1
        )),
        (_, true) => Some(format!("\"switch[1-{switches}]\", \"top\"")),
    };
    let joined = between.map(|between| {
        format!(
            "[[links]]\nbetween = [{between}]\n{}",
            trunk_text(uplink, &links)
        )
    });
    let text = [
        hosts_text(hosts, &format!("switch[1-{switches}]"), each, &links),
        format!("[[switches]]\nids = \"switch[1-{switches}]\"\nports = {each}\n"),
        joined.unwrap_or_default(),
    ];
    built(values, &text)
}

fn hosts_text(hosts: u64, at: &str, each: u64, links: &Links) -> String {
    let rate = rate_text("rate", links.bits_per_s);
    format!(
        "[[hosts]]\nids = \"n[1-{hosts}]\"\nattach = \"{at}\"\nper_switch = {each}\nlink = {{ {}, {} }}\n",
        rate.trim_end(),
        links_text(links).trim_end().replace('\n', ", ")
    )
}

/// What all links have but a rate.
pub fn links_text(links: &Links) -> String {
    let delay_ns = links.delay_s * 1e9;
    format!(
        "delay = \"{delay_ns} ns\"\nmtu_bytes = {}\n",
        links.mtu_bytes
    )
}

fn trunk_text(bits_per_s: f64, links: &Links) -> String {
    format!(
        "{}mtu_bytes = {}\n",
        rate_text("rate", bits_per_s),
        links.mtu_bytes
    )
}

/// Nothing where there is no limit.
pub fn rate_text(key: &str, bits_per_s: f64) -> String {
    match bits_per_s.is_finite() {
        true => format!("{key} = \"{bits_per_s} b/s\"\n"),
        false => String::new(),
    }
}

/// The network of a file of these parts.
pub fn built(values: &Values<'_>, parts: &[String]) -> Result<Box<dyn Network>, String> {
    // Unknown parameters are refused before a message could be about the text.
    values.finish()?;
    let text = format!("name = {:?}\n{}", values.title(), parts.concat());
    let fabric =
        weft_fabric::load(&text, &values.title(), 1.0).map_err(|error| error.to_string())?;
    of_fabric(&fabric)
}
