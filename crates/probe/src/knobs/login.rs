//! The interface that a login came in on: to change it may cut the login off.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::net::IpAddr;
use std::process;

use super::files;
use crate::system::interfaces;

const VARIABLE: &str = "SSH_CONNECTION";
const MOST_PARENTS: u32 = 64;

/// The interface that ssh came in on, and those that carry it (of a bond, a bridge or a VLAN); none without ssh.
pub fn interfaces() -> BTreeSet<String> {
    let Some(address) = address() else {
        return BTreeSet::new();
    };
    let addresses = interfaces::addresses().into_iter();
    let mut found = BTreeSet::new();
    let mut open: Vec<String> = addresses
        .filter(|one| one.ip == address)
        .map(|one| one.interface)
        .collect();
    while let Some(name) = open.pop() {
        let lower = files::matching(&format!("/sys/class/net/{name}/lower_*")).unwrap_or_default();
        let names = lower.iter().filter_map(|one| one.rsplit_once("/lower_"));
        open.extend(names.map(|(_, name)| name.to_owned()));
        found.insert(name);
    }
    found
}

/// The address here that the login came to.
fn address() -> Option<IpAddr> {
    let said = env::var(VARIABLE).ok().or_else(of_parents)?;
    let address = said.split_whitespace().nth(2)?;
    address.split('%').next()?.parse().ok()
}

/// What a parent was told, where sudo and the like have dropped it.
fn of_parents() -> Option<String> {
    let mut pid = process::id();
    for _ in 0..MOST_PARENTS {
        pid = parent(pid)?;
        let told = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut told = told.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        let found =
            told.find_map(|one| Some(one.strip_prefix(VARIABLE)?.strip_prefix('=')?.to_owned()));
        if found.is_some() {
            return found;
        }
    }
    None
}

fn parent(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    line.trim().parse().ok().filter(|pid| *pid > 1)
}
