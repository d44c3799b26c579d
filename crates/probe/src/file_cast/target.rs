//! The file that a node writes. It has another name until it is whole, so that what is there under its own stays.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, FlockOperation, fallocate, flock};

use super::error::{named, refused};
use super::layout::Layout;
use super::message::Job;
use super::place::{Place, open_device};

/// Behind the name of a file that is not whole.
const UNFINISHED: &str = ".weft-part";
const DIFFERS: &str = "is there, and is another file: --overwrite replaces it";

/// An open file, disk, or nothing.
pub struct Target {
    path: String,
    file: File,
    kind: Kind,
    /// What was here before, which may be a part of what comes.
    held: Option<Held>,
    /// Nothing was written to it before, so that holes need not be made.
    is_blank: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A new file that gets its name at the end.
    Unfinished,
    /// A file that must be the same already.
    Settled,
    Device,
    Null,
}

/// Bytes that were here before the cast.
struct Held {
    /// None where they are in the file itself.
    file: Option<File>,
    size_bytes: u64,
}

impl Target {
    /// Look at what is there; fails with a message for users where it cannot be written.
    pub fn check(job: &Job) -> io::Result<()> {
        Place::of(job).map(drop)
    }

    pub fn open(job: &Job) -> io::Result<Target> {
        let (file, kind, held, is_blank) = match Place::of(job)? {
            Place::Null => (open_for_writing(&job.path)?, Kind::Null, None, false),
            Place::Device => {
                let held = (!job.is_fresh).then_some(Held {
                    file: None,
                    size_bytes: job.size_bytes,
                });
                (open_device(&job.path)?, Kind::Device, held, false)
            }
            Place::File { is_there } => return Target::open_file(job, is_there),
        };
        Ok(Target {
            path: job.path.clone(),
            file,
            kind,
            held,
            is_blank,
        })
    }

    fn open_file(job: &Job, is_there: bool) -> io::Result<Target> {
        let part = unfinished(&job.path);
        let said = part.display().to_string();
        let has_part = !job.is_fresh && part.metadata().is_ok_and(|found| found.len() > 0);
        let settled = |file: File, held| Target {
            path: job.path.clone(),
            file,
            kind: Kind::Settled,
            held,
            is_blank: false,
        };
        if is_there && !job.overwrite {
            let file = File::open(&job.path).map_err(|error| named(&job.path, &error))?;
            let size_bytes = job.size_bytes;
            return Ok(settled(
                file,
                Some(Held {
                    file: None,
                    size_bytes,
                }),
            ));
        }
        let file = create(&part).map_err(|error| named(&said, &error))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|_| {
            let why =
                "another cast writes it: do several nodes share this folder? Put {node} into --to";
            refused(&said, why)
        })?;
        let held = match has_part {
            true => Some(Held {
                file: None,
                size_bytes: file.metadata()?.len(),
            }),
            false => replaced(job, is_there)?,
        };
        if !has_part {
            file.set_len(0)?;
        }
        file.set_len(job.size_bytes)
            .map_err(|error| named(&said, &error))?;
        Ok(Target {
            path: job.path.clone(),
            file,
            kind: Kind::Unfinished,
            held,
            is_blank: !has_part,
        })
    }

    /// Whether what was written can be read again.
    pub fn is_readable(&self) -> bool {
        self.kind != Kind::Null
    }

    /// Bytes that were here before, as far as a chunk has all of them.
    pub fn held(&self, layout: &Layout, chunk: u32) -> Option<Vec<u8>> {
        let held = self.held.as_ref()?;
        let end = layout.offset(chunk) + layout.length(chunk) as u64;
        if end > held.size_bytes {
            return None;
        }
        let file = held.file.as_ref().unwrap_or(&self.file);
        read(file, layout, chunk).ok()
    }

    pub fn holds_something(&self) -> bool {
        self.held.is_some()
    }

    /// Whether what is held need not be written again.
    pub fn is_held_in_place(&self) -> bool {
        self.held.as_ref().is_some_and(|held| held.file.is_none())
    }

    pub fn read(&self, layout: &Layout, chunk: u32) -> io::Result<Vec<u8>> {
        read(&self.file, layout, chunk)
    }

    pub fn write(&self, layout: &Layout, chunk: u32, bytes: &[u8]) -> io::Result<()> {
        match self.kind {
            Kind::Settled => return Err(refused(&self.path, DIFFERS)),
            Kind::Null => return Ok(()),
            Kind::Unfinished | Kind::Device => {}
        }
        let written = self.file.write_all_at(bytes, layout.offset(chunk));
        written.map_err(|error| named(&self.path, &error))
    }

    /// Make a hole, or write zeros where there can be none.
    pub fn write_hole(&self, layout: &Layout, chunk: u32) -> io::Result<()> {
        if self.is_blank {
            return Ok(());
        }
        let (offset, length) = (layout.offset(chunk), layout.length(chunk));
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        if self.kind == Kind::Unfinished
            && fallocate(&self.file, flags, offset, length as u64).is_ok()
        {
            return Ok(());
        }
        self.write(layout, chunk, &vec![0; length])
    }

    /// Wait until all is on the disk.
    pub fn sync(&self) -> io::Result<()> {
        if matches!(self.kind, Kind::Null | Kind::Settled) {
            return Ok(());
        }
        let synced = self.file.sync_data();
        synced.map_err(|error| named(&self.path, &error))
    }

    /// Give the file its name.
    pub fn settle(&self) -> io::Result<()> {
        if self.kind != Kind::Unfinished {
            return Ok(());
        }
        let renamed = fs::rename(unfinished(&self.path), &self.path);
        renamed.map_err(|error| named(&self.path, &error))
    }
}

/// A file that is about to be replaced may have most of what comes.
fn replaced(job: &Job, is_there: bool) -> io::Result<Option<Held>> {
    if !is_there || job.is_fresh {
        return Ok(None);
    }
    let file = File::open(&job.path).map_err(|error| named(&job.path, &error))?;
    let size_bytes = file.metadata()?.len();
    let file = Some(file);
    Ok(Some(Held { file, size_bytes }))
}

fn unfinished(path: &str) -> PathBuf {
    PathBuf::from(format!("{path}{UNFINISHED}"))
}

fn create(part: &Path) -> io::Result<File> {
    if let Some(folder) = part.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut how = OpenOptions::new();
    how.read(true).write(true).create(true).truncate(false);
    how.open(part)
}

fn open_for_writing(path: &str) -> io::Result<File> {
    let opened = OpenOptions::new().write(true).open(path);
    opened.map_err(|error| named(path, &error))
}

fn read(file: &File, layout: &Layout, chunk: u32) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; layout.length(chunk)];
    file.read_exact_at(&mut bytes, layout.offset(chunk))?;
    Ok(bytes)
}
