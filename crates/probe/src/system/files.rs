//! Settings of the kernel, as files say them.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;

use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};

/// The first line of a file, where it can be read.
pub fn line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.lines().next()?.trim().to_owned())
}

/// A file with one number.
pub fn number(path: &str) -> Option<i64> {
    line(path)?.parse().ok()
}

/// A file with two numbers.
pub fn number_pair(path: &str) -> Option<(i64, i64)> {
    let line = line(path)?;
    let (first, second) = line.split_once(char::is_whitespace)?;
    Some((first.parse().ok()?, second.trim().parse().ok()?))
}

/// The kernel's id of this boot.
pub fn boot() -> String {
    line("/proc/sys/kernel/random/boot_id").unwrap_or_default()
}

/// The kernel's name of the network namespace of this process.
pub fn network_namespace() -> String {
    fs::read_link("/proc/self/ns/net").map_or(String::new(), |path| path.to_string_lossy().into())
}

/// A mount of one of the kernel's file systems that nothing else sees, where this process may have one.
pub fn mount(kind: &str) -> io::Result<OwnedFd> {
    let filesystem = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_create(&filesystem)?;
    let (flags, attributes) = (FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty());
    Ok(fsmount(&filesystem, flags, attributes)?)
}

/// The last of the numbers in a file: the most that tcp_rmem and tcp_wmem allow.
pub fn last_number(path: &str) -> Option<i64> {
    line(path)?.split_whitespace().last()?.parse().ok()
}
