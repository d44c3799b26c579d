//! What a firewall between two hosts lets through: `icmp`, `tcp/22`, `udp/5000-5010`.

use std::fmt;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

/// Packets of a protocol, of all its ports or of some.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Filter {
    pub protocol: Protocol,
    /// Either end's; all where absent.
    pub ports: Option<RangeInclusive<u16>>,
}

/// By its number in the header of an IP packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    Icmp = 1,
    Tcp = 6,
    Udp = 17,
}

impl Filter {
    /// Reads a filter; the error says what would be right.
    pub fn parse(text: &str) -> Result<Self, String> {
        let right = || {
            let examples = "\"icmp\", \"tcp\", \"tcp/22\" or \"udp/5000-5010\"";
            format!("{text:?} is not a kind of packets; write {examples}")
        };
        let (protocol, ports) = match text.split_once('/') {
            Some((protocol, ports)) => (protocol, Some(read_ports(ports).ok_or_else(right)?)),
            None => (text, None),
        };
        let protocol = match protocol {
            "icmp" if ports.is_none() => Protocol::Icmp,
            "tcp" => Protocol::Tcp,
            "udp" => Protocol::Udp,
            _ => return Err(right()),
        };
        Ok(Self { protocol, ports })
    }
}

fn read_ports(text: &str) -> Option<RangeInclusive<u16>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let range = first.parse().ok()?..=last.parse().ok()?;
    (!range.is_empty() && *range.start() > 0).then_some(range)
}

impl TryFrom<String> for Filter {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

impl From<Filter> for String {
    fn from(filter: Filter) -> Self {
        filter.to_string()
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.protocol {
            Protocol::Icmp => "icmp",
            Protocol::Tcp => "tcp",
            Protocol::Udp => "udp",
        })?;
        match self
            .ports
            .as_ref()
            .map(|ports| (ports.start(), ports.end()))
        {
            None => Ok(()),
            Some((first, last)) if first == last => write!(f, "/{first}"),
            Some((first, last)) => write!(f, "/{first}-{last}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_prints() {
        for text in ["icmp", "tcp", "tcp/22", "udp/5000-5010"] {
            assert_eq!(Filter::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn refuses_what_is_no_filter() {
        for wrong in [
            "",
            "sctp",
            "icmp/8",
            "tcp/",
            "tcp/0",
            "tcp/9-8",
            "udp/70000",
        ] {
            let said = Filter::parse(wrong).unwrap_err();
            assert!(said.contains("\"udp/5000-5010\""), "{said}");
        }
    }
}
