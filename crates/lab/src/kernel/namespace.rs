//! Network namespaces that live exactly as long as a process holds their file descriptor.

use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;

use crate::error::{LabError, Result};
use crate::kernel::sys::{check, option_u64};

/// A network namespace held by a file descriptor. When its last holder dies, by whatever signal,
/// the kernel removes it and every interface in it.
pub struct NetworkNamespace {
    file: File,
    cookie: Option<u64>,
}

impl NetworkNamespace {
    /// Makes a new one and moves the calling thread into it.
    pub fn create() -> io::Result<Self> {
        // SAFETY: takes no pointers.
        check(unsafe { libc::unshare(libc::CLONE_NEWNET) })?;
        Ok(Self {
            file: File::open("/proc/thread-self/ns/net")?,
            cookie: cookie_here(),
        })
    }

    /// Moves the calling thread into this namespace.
    pub fn enter(&self) -> io::Result<()> {
        enter(&self.file, libc::CLONE_NEWNET)
    }

    /// Its number, by which processes inside it are found. It is used again when this namespace is gone.
    pub fn inode(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.ino())
    }

    /// What no other namespace ever has, where the kernel reports it (Linux 5.14).
    pub fn cookie(&self) -> Option<u64> {
        self.cookie
    }

    /// The daemon's descriptor, which others open as `/proc/PID/fd/FD`.
    pub fn fd(&self) -> i32 {
        self.file.as_raw_fd()
    }
}

/// Moves the calling thread into a namespace of the given kind.
pub fn enter(file: &File, kind: libc::c_int) -> io::Result<()> {
    // SAFETY: takes no pointers.
    check(unsafe { libc::setns(file.as_raw_fd(), kind) })?;
    Ok(())
}

/// The cookie of the network namespace that a process is in, which the calling thread enters.
pub fn cookie_of(pid: u32) -> io::Result<Option<u64>> {
    let network = File::open(format!("/proc/{pid}/ns/net"))?;
    let user = File::open(format!("/proc/{pid}/ns/user"))?;
    if enter(&network, libc::CLONE_NEWNET).is_err() {
        // One of a user namespace that is ours.
        enter(&user, libc::CLONE_NEWUSER)?;
        enter(&network, libc::CLONE_NEWNET)?;
    }
    Ok(cookie_here())
}

fn cookie_here() -> Option<u64> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    option_u64(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_NETNS_COOKIE).ok()
}

/// Opens something below a `/proc/PID` directory that is already open.
pub fn open_below(directory: &OwnedFd, path: &str) -> io::Result<File> {
    File::open(format!("/proc/self/fd/{}/{path}", directory.as_raw_fd()))
}

/// Makes this process able to create network namespaces: nothing to do with the privilege, else a user
/// namespace in which it has the privilege. Returns whether a user namespace was needed.
///
/// Must be called before any thread is started.
pub fn gain_privilege() -> Result<bool> {
    match NetworkNamespace::create() {
        Ok(_) => Ok(false),
        Err(error) if error.raw_os_error() == Some(libc::EPERM) => {
            create_user_namespace().map_err(|error| explain(&error))?;
            Ok(true)
        }
        Err(error) => Err(explain(&error)),
    }
}

fn create_user_namespace() -> io::Result<()> {
    // SAFETY: takes no pointers and cannot fail.
    let (uid, gid) = unsafe { (libc::geteuid(), libc::getegid()) };
    // SAFETY: takes no pointers.
    check(unsafe { libc::unshare(libc::CLONE_NEWUSER) })?;
    // Without this the kernel refuses the group map of an unprivileged process.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("0 {uid} 1"))?;
    fs::write("/proc/self/gid_map", format!("0 {gid} 1"))?;
    // AppArmor may grant the user namespace but no privilege in it: find out now.
    NetworkNamespace::create().map(drop)
}

fn explain(error: &io::Error) -> LabError {
    let message = format!("cannot create network namespaces as this user: {error}");
    let hint = format!(
        "two ways out: run as root; or let users create their own namespaces: {}",
        switches_that_forbid().join("; ")
    );
    LabError::request(message, hint)
}

/// The kernel's switches against user namespaces: file, the value that forbids, what permits.
const SWITCHES: [(&str, &str, &str); 4] = [
    (
        "kernel/unprivileged_userns_clone",
        "0",
        "sysctl -w kernel.unprivileged_userns_clone=1",
    ),
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    (
        "user/max_user_namespaces",
        "0",
        "sysctl -w user.max_user_namespaces=10000",
    ),
    (
        "user/max_net_namespaces",
        "0",
        "sysctl -w user.max_net_namespaces=10000",
    ),
];

fn switches_that_forbid() -> Vec<&'static str> {
    let forbids = |file: &str, value: &str| {
        let found = fs::read_to_string(format!("/proc/sys/{file}"));
        found.is_ok_and(|found| found.trim() == value)
    };
    let found: Vec<_> = SWITCHES
        .iter()
        .filter(|(file, value, _)| forbids(file, value))
        .map(|(_, _, command)| *command)
        .collect();
    match found.is_empty() {
        false => found,
        true => vec![
            "a container runtime or a security policy forbids it here \
             (for Docker: --cap-add SYS_ADMIN or --security-opt seccomp=unconfined)",
        ],
    }
}
