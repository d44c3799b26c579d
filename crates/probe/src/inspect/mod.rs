//! What a cluster is like before anything is measured: what the kernel says of this node, and what the data network
//! carries between it and others. Nothing is changed, and next to nothing is sent.

mod datagram;
mod device;
mod echo;
pub mod ethtool;
mod interface;
mod load;
mod node;
mod path;
mod path_mtu;
mod pci;
mod question;

pub use device::Device;
pub use echo::Echo;
pub use path::Path;
pub use question::Peer;

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::listener::token::Token;

/// What the coordinator asks before a run.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    /// Look at the node and at the interfaces that have these addresses.
    Inspect {
        addresses: Vec<IpAddr>,
    },
    /// Answer questions that show the token until `stop_echo`.
    Echo {
        addresses: Vec<IpAddr>,
        token: Token,
        /// The only ports to listen on, first and last; any where there are none.
        ports: Option<(u16, u16)>,
    },
    /// Try the paths to other nodes that echo.
    Paths {
        peers: Vec<Peer>,
        token: Token,
    },
    StopEcho,
}

/// What the agent says to that.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    Inspected {
        node: Box<node::Node>,
        interfaces: Vec<Option<interface::Interface>>,
    },
    /// The port of each address.
    Echoing {
        ports: Vec<u16>,
    },
    Tried {
        paths: Vec<Path>,
    },
    EchoStopped {
        /// Datagrams that were not answered because they did not show the token, or were replayed.
        rejected: u64,
    },
}

/// Whether a message is one of these requests.
pub fn is_request(kind: Option<&str>) -> bool {
    matches!(kind, Some("inspect" | "echo" | "paths" | "stop_echo"))
}

/// Look at this node.
pub fn look(addresses: &[IpAddr]) -> Reply {
    let interfaces = addresses.iter().map(|one| interface::of(*one)).collect();
    Reply::Inspected {
        node: Box::new(node::gather()),
        interfaces,
    }
}

/// Try the paths to all peers at the same time.
pub fn try_paths(peers: &[Peer], token: &Token) -> Reply {
    let paths = std::thread::scope(|scope| {
        let tries: Vec<_> = peers
            .iter()
            .map(|peer| scope.spawn(|| path::try_path(peer, token)))
            .collect();
        tries
            .into_iter()
            .filter_map(|one| one.join().ok())
            .collect()
    });
    Reply::Tried { paths }
}
