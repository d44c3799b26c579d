//! The file that is cast, on the first node of the chain.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::Path;

use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;

use super::error::{named, refused};
use super::layout::Layout;

/// An open file, and what it was like then.
pub struct Source {
    file: File,
    path: String,
    stamp: Stamp,
    is_regular: bool,
}

/// What differs after someone has written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    size_bytes: u64,
    modified: (i64, i64),
}

impl Source {
    /// Fails with a message for users where it cannot be cast.
    pub fn open(path: &str) -> io::Result<Source> {
        let kind = std::fs::metadata(path).map_err(|error| named(path, &error))?;
        if kind.is_dir() {
            return Err(refused(path, "is a directory: name a file"));
        }
        let is_regular = kind.is_file();
        if !is_regular && !kind.file_type().is_block_device() {
            return Err(refused(path, "is neither a file nor a disk"));
        }
        let file = File::open(Path::new(path)).map_err(|error| named(path, &error))?;
        let stamp = Stamp::of(&file)?;
        if stamp.size_bytes == 0 {
            return Err(refused(path, "is empty: there is nothing to cast"));
        }
        Ok(Source {
            file,
            path: path.to_owned(),
            stamp,
            is_regular,
        })
    }

    pub fn size_bytes(&self) -> u64 {
        self.stamp.size_bytes
    }

    /// The bytes of a chunk; an end before that means that the file has changed.
    pub fn read(&self, layout: &Layout, chunk: u32) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; layout.length(chunk)];
        match self.file.read_exact_at(&mut bytes, layout.offset(chunk)) {
            Ok(()) => Ok(bytes),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(self.has_changed()),
            Err(error) => Err(named(&self.path, &error)),
        }
    }

    /// Where the next bytes are, and where they end: between are holes. Disks have none, nor what does not say.
    pub fn next_data(&self, from: u64) -> (u64, u64) {
        if !self.is_regular {
            return (from, u64::MAX);
        }
        match seek(&self.file, SeekFrom::Data(from)) {
            Err(Errno::NXIO) => (u64::MAX, u64::MAX),
            Err(_) => (from, u64::MAX),
            Ok(data) => {
                let end = seek(&self.file, SeekFrom::Hole(data));
                (data, end.unwrap_or(u64::MAX))
            }
        }
    }

    /// Fails where someone has written to it since it was opened.
    pub fn check_unchanged(&self) -> io::Result<()> {
        // Under its name there may be another file by now.
        let there = Stamp::of(&File::open(&self.path).map_err(|_| self.has_changed())?)?;
        match Stamp::of(&self.file)? == self.stamp && there == self.stamp {
            true => Ok(()),
            false => Err(self.has_changed()),
        }
    }

    pub fn has_changed(&self) -> io::Error {
        let message = format!("{}: has changed while it was cast", self.path);
        io::Error::new(io::ErrorKind::InvalidData, message)
    }
}

impl Stamp {
    fn of(file: &File) -> io::Result<Stamp> {
        let found = file.metadata()?;
        let size_bytes = match found.is_file() {
            true => found.len(),
            false => seek(file, SeekFrom::End(0))?,
        };
        // The time of a disk's node says nothing of its bytes.
        let modified = match found.is_file() {
            true => (found.mtime(), found.mtime_nsec()),
            false => (0, 0),
        };
        Ok(Stamp {
            size_bytes,
            modified,
        })
    }
}
