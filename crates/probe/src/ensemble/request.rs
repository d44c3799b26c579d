//! What the coordinator asks of a member of an ensemble.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use weft_plan::Options;

use super::part::Part;
use super::program::Programs;
use super::traffic::Traffics;
use crate::listener::ports::PortRange;
use crate::listener::token::Token;

/// The requests of a session, in the order in which they come.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    Open(Opening),
    Join(Joining),
    Phases(Phases),
    Programs(Box<Programs>),
    Traffics(Traffics),
    Abort,
    Leave,
}

/// An abort is a short message; looking into long ones for it would take time.
const LONGEST_ABORT_BYTES: usize = 64;

/// True for the request that drops all that came before it.
pub fn is_abort(payload: &[u8]) -> bool {
    payload.len() <= LONGEST_ABORT_BYTES
        && matches!(serde_json::from_slice(payload), Ok(Request::Abort))
}

/// Listen on each address, and say on which ports.
#[derive(Debug, Deserialize)]
pub struct Opening {
    /// This agent's index among the run's nodes.
    pub node: u32,
    /// One measured address for each network.
    pub addresses: Vec<IpAddr>,
    /// The ports on which it may listen; any where there are none.
    pub ports: Option<PortRange>,
    pub options: Options,
    pub token: Token,
}

/// Connect to the other members for barriers, and compare clocks with the first.
#[derive(Debug, Deserialize)]
pub struct Joining {
    /// The same list for all.
    pub members: Vec<u32>,
    /// Each other member's listeners, one for each network.
    #[serde(deserialize_with = "numbered")]
    pub peers: BTreeMap<u32, Vec<SocketAddr>>,
    /// The run's start on the first member's CLOCK_MONOTONIC.
    pub epoch_ns: i64,
    pub connect_ms: u64,
}

/// Run phases, with a barrier before each.
#[derive(Debug, Deserialize)]
pub struct Phases {
    pub step_index: u32,
    pub launch: u32,
    pub phases: Vec<Part>,
}

/// A map with numbers for keys, which are strings in JSON; serde does not convert them inside a tagged enum.
fn numbered<'de, D, V>(input: D) -> Result<BTreeMap<u32, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    let named = BTreeMap::<String, V>::deserialize(input)?;
    let parse = |(name, value): (String, V)| match name.parse() {
        Ok(number) => Ok((number, value)),
        Err(_) => Err(D::Error::custom(format!("{name:?} is not a node's index"))),
    };
    named.into_iter().map(parse).collect()
}
