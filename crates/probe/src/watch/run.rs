//! The process of a site: starts and ends the threads of its links as the configuration says, and flushes.

use std::env;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use serde::Serialize;

use super::clocks::Clocks;
use super::config::{Config, Link};
use super::host::Host;
use super::notes::{LinkState, Notes};
use super::probes::{self, Site, Stop};
use super::responder::Responder;
use super::spool::{self, Spool};
use crate::system::clock::time_of_day_ns;
use crate::system::private;

const FLUSH_EVERY: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_secs(1);
const STACK_BYTES: usize = 256 << 10;
/// Notes of thinning come at most so often.
const SAY_AGAIN: Duration = Duration::from_secs(3600);

/// What `status.json` says: the process, and each link since it began.
#[derive(Serialize)]
struct Status<'a> {
    pid: u32,
    version: &'static str,
    serial: u64,
    site: &'a str,
    started_s: f64,
    written_s: f64,
    port: u16,
    refused: u64,
    spool_bytes: u64,
    is_disk_full: bool,
    links: Vec<LinkState>,
}

/// `weft-probe watch FOLDER`: be the process of a site until a signal ends it.
pub fn run() -> io::Result<()> {
    let folder = PathBuf::from(env::args_os().nth(2).ok_or(io::ErrorKind::InvalidInput)?);
    let lock = File::create(folder.join("lock"))?;
    take(&lock)?;
    // SAFETY: one arena for all threads: each more would take memory for itself.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    let signals = Signals::block();
    let mut watch = Watch::start(&folder)?;
    let mut clocks = Clocks::new();
    let mut flushed = Instant::now();
    loop {
        let began = Instant::now();
        let signal = signals.wait(LOOK_EVERY);
        let late = began.elapsed().saturating_sub(LOOK_EVERY);
        clocks.observe(late, &watch.notes);
        watch.look_at_host();
        match signal {
            Some(libc::SIGHUP) => watch.reload(),
            Some(_) => break,
            None => {}
        }
        if flushed.elapsed() >= FLUSH_EVERY {
            flushed = Instant::now();
            watch.flush();
        }
    }
    watch.end();
    Ok(())
}

/// Lock the folder; an agent that looks whether it is locked has it for a moment.
fn take(lock: &File) -> io::Result<()> {
    let mut outcome = Ok(());
    for _ in 0..20 {
        outcome = flock(lock, FlockOperation::NonBlockingLockExclusive);
        if outcome.is_ok() {
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(outcome?)
}

struct Watch {
    folder: PathBuf,
    config: Config,
    notes: Arc<Notes>,
    site: Arc<Site>,
    host: Host,
    responder: Responder,
    spool: Spool,
    running: Vec<(Link, Arc<Stop>, JoinHandle<()>)>,
    started_s: f64,
    disk_full: Option<Instant>,
    said_thinned: Option<Instant>,
}

impl Watch {
    fn start(folder: &Path) -> io::Result<Watch> {
        let config = Config::read(folder)?;
        let notes = Arc::new(Notes::new(&config.site));
        let responder = Responder::start(config.port, config.id, &config.token, &notes)?;
        let site = Arc::new(Site {
            id: config.id,
            token: config.token.clone(),
            notes: notes.clone(),
            heard: responder.heard.clone(),
        });
        notes.event("agent-start", None, None, env!("CARGO_PKG_VERSION"));
        let mut watch = Watch {
            folder: folder.to_owned(),
            spool: Spool::open(&folder.join("spool"), config.spool_bytes)?,
            config,
            notes,
            site,
            host: Host::new(),
            responder,
            running: Vec::new(),
            started_s: time_of_day_ns() as f64 / 1e9,
            disk_full: None,
            said_thinned: None,
        };
        watch.apply();
        watch.flush();
        Ok(watch)
    }

    /// Take the new configuration; links that it does not change go on as they are.
    fn reload(&mut self) {
        match Config::read(&self.folder) {
            Ok(config) => {
                self.config = config;
                self.spool.set_most_bytes(self.config.spool_bytes);
                self.apply();
                self.notes.event("reload", None, None, "");
            }
            Err(error) => self
                .notes
                .event("reload-failed", None, None, error.to_string()),
        }
        self.flush();
    }

    fn apply(&mut self) {
        let wanted = &self.config.links;
        let (kept, ended): (Vec<_>, Vec<_>) = std::mem::take(&mut self.running)
            .into_iter()
            .partition(|one| wanted.contains(&one.0));
        self.running = kept;
        end_threads(ended);
        for link in wanted {
            if !self.running.iter().any(|one| one.0 == *link) {
                let (site, stop) = (self.site.clone(), Arc::new(Stop::default()));
                let (same, chosen) = (stop.clone(), link.clone());
                let started = thread::Builder::new()
                    .stack_size(STACK_BYTES)
                    .spawn(move || probes::run(chosen, &site, &same));
                match started {
                    Ok(thread) => self.running.push((link.clone(), stop, thread)),
                    Err(error) => {
                        let text = error.to_string();
                        self.notes.event("error", Some(link.link), None, text);
                    }
                }
            }
        }
    }

    /// Hand what was measured to the disk; what a full one does not take waits in memory.
    fn flush(&mut self) {
        let (rows, events) = self.notes.take();
        match self.spool.append(&rows, &events) {
            Ok(has_thinned) => {
                if let Some(since) = self.disk_full.take() {
                    let seconds = since.elapsed().as_secs_f64();
                    self.notes.event("disk-full-over", None, Some(seconds), "");
                }
                let is_due = self.said_thinned.is_none_or(|at| at.elapsed() >= SAY_AGAIN);
                if has_thinned && is_due {
                    self.said_thinned = Some(Instant::now());
                    let text = "nothing fetches it, and the spool is full: the oldest is thinned";
                    self.notes.event("spool-thinned", None, None, text);
                }
            }
            Err(error) => {
                self.notes.put_back(rows, events);
                if self.disk_full.is_none() {
                    self.disk_full = Some(Instant::now());
                    self.notes.event("disk-full", None, None, error.to_string());
                }
            }
        }
        // Without a status the coordinator still gets the samples.
        let _ = self.write_status();
    }

    fn look_at_host(&mut self) {
        let links = self.notes.links(&self.links());
        self.host.look(&links, &self.notes);
    }

    fn links(&self) -> Vec<i16> {
        self.config.links.iter().map(|one| one.link).collect()
    }

    fn write_status(&self) -> io::Result<()> {
        let status = Status {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION"),
            serial: self.config.serial,
            site: &self.config.site,
            started_s: self.started_s,
            written_s: time_of_day_ns() as f64 / 1e9,
            port: self.responder.port,
            refused: self.responder.refused.count(),
            spool_bytes: spool::bytes(&self.folder.join("spool")),
            is_disk_full: self.disk_full.is_some(),
            links: self.notes.links(&self.links()),
        };
        let (path, bytes) = (
            self.folder.join("status.json"),
            serde_json::to_vec(&status)?,
        );
        replace(&path, &bytes).or_else(|_| overwrite(&path, &bytes))
    }

    fn end(mut self) {
        end_threads(std::mem::take(&mut self.running));
        self.host.end(&self.notes);
        self.notes.event("agent-stop", None, None, "");
        self.flush();
    }
}

/// End threads of links, each after its probe.
fn end_threads(threads: Vec<(Link, Arc<Stop>, JoinHandle<()>)>) {
    threads.iter().for_each(|one| one.1.stop());
    for (_, _, thread) in threads {
        let _ = thread.join();
    }
}

/// Put a file that only its owner reads in place of an earlier one.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    private::replace(path, bytes, false)
}

/// The same where the disk has no room for another file: the blocks of the earlier one are there. Spaces end what is
/// shorter than that, so that a reader finds JSON.
fn overwrite(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(path)?;
    let mut padded = bytes.to_vec();
    padded.resize(bytes.len().max(file.metadata()?.len() as usize), b' ');
    file.write_all_at(&padded, 0)
}

/// The signals that this process takes when it asks for them.
struct Signals(libc::sigset_t);

impl Signals {
    /// Must be called before any thread starts: threads inherit what is blocked.
    fn block() -> Signals {
        // SAFETY: the set is made by sigemptyset before it is used.
        unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&mut set);
            for signal in [libc::SIGHUP, libc::SIGTERM, libc::SIGINT] {
                libc::sigaddset(&mut set, signal);
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
            Signals(set)
        }
    }

    fn wait(&self, at_most: Duration) -> Option<i32> {
        let time = libc::timespec {
            tv_sec: at_most.as_secs() as libc::time_t,
            tv_nsec: at_most.subsec_nanos().into(),
        };
        // SAFETY: the set and the time are valid for the call.
        let signal = unsafe { libc::sigtimedwait(&self.0, std::ptr::null_mut(), &time) };
        (signal > 0).then_some(signal)
    }
}
