//! Which transports this node's kernel has: found out by trying, before anything is measured.

use std::collections::BTreeMap;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use crate::rings::Rings;

/// Each transport that not every kernel has, with the reason where this one does not have it.
pub fn transports() -> BTreeMap<&'static str, Option<String>> {
    [("unix", unix()), ("shm", shm())]
        .into_iter()
        .map(|(name, tried)| (name, tried.err()))
        .collect()
}

fn unix() -> Result<(), String> {
    let name = format!("weft-{}", std::process::id());
    SocketAddr::from_abstract_name(name)
        .and_then(|address| UnixListener::bind_addr(&address))
        .map(drop)
        .map_err(|error| refused("a Unix socket", &error))
}

fn shm() -> Result<(), String> {
    Rings::create()
        .map(drop)
        .map_err(|error| refused("shared memory (memfd_create)", &error))
}

fn refused(what: &str, error: &io::Error) -> String {
    format!("the kernel refuses {what}: {error}")
}
