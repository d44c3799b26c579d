//! The kernel's tracepoint for TCP's states (sock:inet_sock_set_state): it tells of each change, however short a connection.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::system::files::mount;

const MOUNTED: &str = "/sys/kernel/tracing";
const PREFIX: &str = "weft-";
const EVENT: &str = "inet_sock_set_state: ";

/// A TCP socket went from one state to another.
#[derive(Debug, PartialEq)]
pub struct Change {
    /// On CLOCK_MONOTONIC.
    pub at_ns: u64,
    /// What ran when it did: of a socket that connects or listens, its process.
    pub pid: u32,
    pub name: String,
    pub local: SocketAddr,
    pub remote: SocketAddr,
    pub from: String,
    pub to: String,
}

/// An instance of the kernel's trace buffer of our own, gone with this.
pub struct Trace {
    instance: PathBuf,
    pipe: Option<File>,
    rest: String,
    /// The file system, where it is mounted nowhere else.
    _mount: Option<OwnedFd>,
}

impl Trace {
    /// Begin to trace; or why that is not possible.
    pub fn open() -> Result<Trace, String> {
        Trace::try_open()
            .map_err(|error| format!("the kernel's tracepoint cannot be read: {error}"))
    }

    fn try_open() -> io::Result<Trace> {
        let (root, mount) = root()?;
        remove_stale(&root);
        let instance = root.join(format!("instances/{PREFIX}{}", std::process::id()));
        fs::create_dir(&instance)?;
        let mut trace = Trace {
            instance,
            pipe: None,
            rest: String::new(),
            _mount: mount,
        };
        trace.write("trace_clock", "mono")?;
        trace.write("events/sock/inet_sock_set_state/enable", "1")?;
        let mut how = OpenOptions::new();
        how.read(true).custom_flags(libc::O_NONBLOCK);
        trace.pipe = Some(how.open(trace.instance.join("trace_pipe"))?);
        Ok(trace)
    }

    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        fs::write(self.instance.join(file), text)
    }

    /// What has changed since this was last asked.
    pub fn read(&mut self) -> Vec<Change> {
        let mut bytes = Vec::new();
        if let Some(pipe) = &mut self.pipe {
            // Nothing more to read is an error too: what was read before counts.
            drop(pipe.read_to_end(&mut bytes));
        }
        self.rest.push_str(&String::from_utf8_lossy(&bytes));
        let end = self.rest.rfind('\n').map_or(0, |at| at + 1);
        let lines: String = self.rest.drain(..end).collect();
        lines.lines().filter_map(parse).collect()
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        self.pipe = None;
        drop(fs::remove_dir(&self.instance));
    }
}

/// The file system of traces: where it is mounted, or for us alone.
fn root() -> io::Result<(PathBuf, Option<OwnedFd>)> {
    let usual = Path::new(MOUNTED);
    if usual.join("instances").is_dir() {
        return Ok((usual.into(), None));
    }
    let mount = mount("tracefs")?;
    let path = format!("/proc/thread-self/fd/{}", mount.as_raw_fd());
    Ok((path.into(), Some(mount)))
}

/// Left over from agents that were killed.
fn remove_stale(root: &Path) {
    let entries = fs::read_dir(root.join("instances")).into_iter().flatten();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|one| one.strip_prefix(PREFIX));
        if pid.is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
            drop(fs::remove_dir(entry.path()));
        }
    }
}

/// A line such as `mpirun-31 [001] ..... 12.345678: inet_sock_set_state: family=AF_INET ... newstate=TCP_SYN_SENT`.
fn parse(line: &str) -> Option<Change> {
    let (front, fields) = line.split_once(EVENT)?;
    let fields: HashMap<&str, &str> = fields
        .split_whitespace()
        .filter_map(|one| one.split_once('='))
        .collect();
    let (task, rest) = front.rsplit_once(" [")?;
    let (name, pid) = task.trim().rsplit_once('-')?;
    let seconds = rest.trim_end().strip_suffix(':')?.rsplit(' ').next()?;
    let is_six = *fields.get("family")? == "AF_INET6";
    let place = |ip: &str, six: &str, port: &str| {
        let text = fields.get(if is_six { six } else { ip })?;
        let ip: IpAddr = text.parse().ok()?;
        Some(SocketAddr::new(
            ip.to_canonical(),
            fields.get(port)?.parse().ok()?,
        ))
    };
    Some(Change {
        at_ns: (seconds.parse::<f64>().ok()? * 1e9) as u64,
        pid: pid.parse().ok()?,
        name: name.to_owned(),
        local: place("saddr", "saddrv6", "sport")?,
        remote: place("daddr", "daddrv6", "dport")?,
        from: (*fields.get("oldstate")?).to_owned(),
        to: (*fields.get("newstate")?).to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_change() {
        let line = "  my-prog-x-31 [001] b..1. 12.345678: inet_sock_set_state: family=AF_INET protocol=IPPROTO_TCP \
                    sport=0 dport=22 saddr=10.0.0.1 daddr=10.0.0.2 saddrv6=::ffff:10.0.0.1 daddrv6=::ffff:10.0.0.2 \
                    oldstate=TCP_CLOSE newstate=TCP_SYN_SENT";
        let change = parse(line).expect("a change");
        assert_eq!((change.pid, change.name.as_str()), (31, "my-prog-x"));
        assert_eq!(change.at_ns, 12_345_678_000);
        assert_eq!(change.remote, "10.0.0.2:22".parse().expect("a place"));
        assert_eq!(
            (change.from.as_str(), change.to.as_str()),
            ("TCP_CLOSE", "TCP_SYN_SENT")
        );
        assert_eq!(parse("CPU:1 [LOST 3 EVENTS]"), None);
    }
}
