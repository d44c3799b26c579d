//! Reads what hosts are: namespaces for good, or virtual machines, what is in their `guest`, and the host they are
//! `behind`.

use std::collections::BTreeMap;

use weft_plan::reading::{Result, Section, Value};

use crate::guest::{Bond, Guest};
use crate::link_keys::pair_off;

const ONE_QUEUE: &str = "a guest's card has one pair of queues: QEMU gives several only to cards on tap devices, which \
                         need root, and a guest's is on a socket";

/// What an entry says that its hosts are; testbeds choose where it says nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Vm,
    Namespace,
}

/// Whether the hosts of an entry are namespaces on all testbeds that build hosts.
pub fn is_namespace(section: &Section<'_>) -> Result<bool> {
    Ok(read_kind(section)? == Some(Kind::Namespace))
}

fn read_kind(section: &Section<'_>) -> Result<Option<Kind>> {
    section.choice("kind", &[("vm", Kind::Vm), ("namespace", Kind::Namespace)])
}

/// Reads whether the hosts of an entry are virtual machines, and what they are like.
pub fn read_guests(section: &Section<'_>, names: &[String]) -> Result<Vec<Option<Guest>>> {
    let is_guest = read_kind(section)? == Some(Kind::Vm);
    let inner = section.section("guest")?;
    let behind = section.text("behind")?;
    if !is_guest {
        let given = ["guest", "behind"].into_iter();
        return match given
            .zip([inner.is_some(), behind.is_some()])
            .find(|one| one.1)
        {
            Some((key, _)) => {
                Err(section.refuse(key, "is for virtual machines; add kind = \"vm\""))
            }
            None => Ok(vec![None; names.len()]),
        };
    }
    let guest = match inner {
        None => Guest::default(),
        Some(inner) => read_guest(&inner)?,
    };
    let before = behind_which(section, names, behind)?;
    let each = before.into_iter().map(|behind| Guest {
        behind,
        ..guest.clone()
    });
    Ok(each.map(Some).collect())
}

/// For each host the one that it is behind.
fn behind_which(
    section: &Section<'_>,
    names: &[String],
    behind: Option<&str>,
) -> Result<Vec<Option<String>>> {
    let Some(behind) = behind else {
        return Ok(vec![None; names.len()]);
    };
    let pairs = pair_off(section, "behind", &names.join(","), behind)?;
    if pairs.len() != names.len() {
        return Err(section.refuse("behind", "a guest is behind one host"));
    }
    Ok(pairs.into_iter().map(|[_, host]| Some(host)).collect())
}

fn read_guest(section: &Section<'_>) -> Result<Guest> {
    let guest = Guest {
        cpus: section.count("cpus", 1..=64)?,
        memory_mbytes: section.count("memory", 192..=1 << 20)?,
        nics: read_nics(section)?,
        offloads: section.flag("offloads")?,
        vlan: section.count("vlan", 1..=4094)?,
        bridge: section.flag("bridge")?.unwrap_or(false),
        bond: read_bond(section)?,
        sysctl: read_sysctl(section)?,
        behind: None,
    };
    if section.get("queues").is_some() {
        return Err(section.refuse("queues", ONE_QUEUE));
    }
    section.finish()?;
    let taken = [guest.bridge, guest.vlan.is_some(), guest.bond.is_some()];
    if taken.into_iter().filter(|one| *one).count() > 1 {
        let message = "an interface has a bond, a bridge or a VLAN over it, not two of them";
        return Err(section.refuse(if guest.bridge { "bridge" } else { "vlan" }, message));
    }
    Ok(guest)
}

/// One model, or a list of them.
fn read_nics(section: &Section<'_>) -> Result<Vec<String>> {
    match section.get("nic") {
        None => Ok(Vec::new()),
        Some(Value::String(one)) => Ok(vec![one.clone()]),
        Some(_) => Ok(section
            .texts("nic")?
            .into_iter()
            .map(str::to_owned)
            .collect()),
    }
}

/// A mode, or a table that has one.
fn read_bond(section: &Section<'_>) -> Result<Option<Bond>> {
    if let Some(Value::String(mode)) = section.get("bond") {
        let mode = mode.clone();
        return Ok(Some(Bond {
            mode,
            hash: None,
            miimon_ms: None,
        }));
    }
    let Some(inner) = section.section("bond")? else {
        return Ok(None);
    };
    let bond = Bond {
        mode: inner.required_text("mode", "balance-rr")?.to_owned(),
        hash: inner.text("hash")?.map(str::to_owned),
        miimon_ms: inner.count("miimon_ms", 1..=60_000)?,
    };
    inner.finish()?;
    Ok(Some(bond))
}

/// Settings, whose values are text or whole numbers.
fn read_sysctl(section: &Section<'_>) -> Result<BTreeMap<String, String>> {
    let Some(inner) = section.section("sysctl")? else {
        return Ok(BTreeMap::new());
    };
    let right = "must be text or a whole number";
    let read = |name: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if !name.chars().all(plain) || name.starts_with('.') || name.contains("..") {
            return Err(inner.refuse(name, "is no name of a setting, such as net.ipv4.tcp_sack"));
        }
        let value = match inner.get(name) {
            Some(Value::String(text)) if !text.contains(['\n', '\'']) => text.clone(),
            Some(Value::Integer(number)) => number.to_string(),
            _ => return Err(inner.refuse(name, right)),
        };
        Ok((name.to_owned(), value))
    };
    inner.names().map(read).collect()
}
