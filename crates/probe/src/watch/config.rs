//! What a site's process is told: the file `config.json` in its folder.

use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::listener::token::Token;

#[derive(Clone, Deserialize)]
pub struct Config {
    pub site: String,
    /// Grows with each configuration, so that it can be told which one is in force.
    pub serial: u64,
    pub token: Token,
    /// What tells this watch from others on the wire; no secret.
    pub id: [u8; 8],
    /// The responder takes this port, or one of the nine above where that is taken.
    pub port: u16,
    /// More than that is thinned, oldest first.
    pub spool_bytes: u64,
    pub links: Vec<Link>,
}

impl Config {
    pub fn read(folder: &Path) -> io::Result<Config> {
        Ok(serde_json::from_slice(&fs::read(
            folder.join("config.json"),
        )?)?)
    }
}

/// A peer, and how it is probed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Link {
    pub link: i16,
    /// A name or an address.
    pub peer: String,
    /// Where TCP connects and its responder listens; none where only ICMP is probed.
    pub port: Option<u16>,
    /// Where a responder of another watch would be.
    pub usual_port: u16,
    pub from: Option<IpAddr>,
    pub kinds: Vec<Kind>,
    pub sizes: Vec<u32>,
    pub interval_ms: u64,
    pub timeout_ms: u64,
    /// Which part of each interval is this end's, and of how many, so that both ends do not probe at once.
    pub turn: (u32, u32),
}

/// The position is that in weft.runs.probes.KINDS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Icmp,
    TcpConnect,
    TcpEcho,
    UdpEcho,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Icmp => "icmp",
            Kind::TcpConnect => "tcp-connect",
            Kind::TcpEcho => "tcp-echo",
            Kind::UdpEcho => "udp-echo",
        }
    }
}
