//! What is where a node is to write, and whether it may.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{Access, SeekFrom, access, major, minor, seek};
use rustix::io::Errno;

use super::error::{named, refused};
use super::message::Job;

/// The numbers of /dev/null.
const NULL_DEVICE: (u32, u32) = (1, 3);

/// What a node writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nothing is kept: for measuring.
    Null,
    Device,
    File {
        is_there: bool,
    },
}

impl Place {
    /// Fails with a message for users where it cannot be written.
    pub fn of(job: &Job) -> io::Result<Place> {
        let path = job.path.as_str();
        if !path.starts_with('/') {
            return Err(refused(path, "must be a whole path, which begins with /"));
        }
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                check_folder(path)?;
                Ok(Place::File { is_there: false })
            }
            Err(error) => Err(named(path, &error)),
            Ok(found) => Place::of_existing(job, &found),
        }
    }

    fn of_existing(job: &Job, found: &Metadata) -> io::Result<Place> {
        let (path, kind) = (job.path.as_str(), found.file_type());
        if kind.is_dir() {
            return Err(refused(path, "is a directory: name the file to write"));
        }
        if kind.is_file() {
            check_file(job, found)?;
            return Ok(Place::File { is_there: true });
        }
        let numbers = (major(found.rdev()), minor(found.rdev()));
        if kind.is_char_device() && numbers == NULL_DEVICE {
            return Ok(Place::Null);
        }
        if !kind.is_block_device() {
            return Err(refused(path, "is neither a file nor a disk"));
        }
        check_device(job)?;
        Ok(Place::Device)
    }
}

fn check_folder(path: &str) -> io::Result<()> {
    // Folders that are missing are made.
    let mut folders = Path::new(path).ancestors().skip(1);
    let there = folders.find(|one| one.exists()).unwrap_or(Path::new("/"));
    let said = there.display().to_string();
    if !there.is_dir() {
        return Err(refused(&said, "is not a folder"));
    }
    access(there, Access::WRITE_OK | Access::EXEC_OK)
        .map_err(|_| refused(&said, "no permission to write there"))
}

fn check_file(job: &Job, found: &Metadata) -> io::Result<()> {
    let path = job.path.as_str();
    if job.overwrite {
        access(path, Access::WRITE_OK).map_err(|_| refused(path, "no permission to replace it"))?;
        return check_folder(path);
    }
    if found.len() == job.size_bytes {
        return Ok(());
    }
    let why = format!(
        "is there, and is another file (of {} bytes): --overwrite replaces it",
        found.len()
    );
    Err(refused(path, &why))
}

fn check_device(job: &Job) -> io::Result<()> {
    let path = job.path.as_str();
    if !job.overwrite {
        return Err(refused(path, "is a disk: --overwrite replaces all on it"));
    }
    let size_bytes = seek(open_device(path)?, SeekFrom::End(0))?;
    if size_bytes < job.size_bytes {
        let why = format!("has {size_bytes} bytes, the file has {}", job.size_bytes);
        return Err(refused(path, &why));
    }
    Ok(())
}

/// A disk that nothing else uses: the kernel refuses to open one for itself that is mounted, or a part of it.
pub fn open_device(path: &str) -> io::Result<File> {
    let mut how = OpenOptions::new();
    how.read(true).write(true).custom_flags(libc::O_EXCL);
    how.open(path).map_err(|error| match error.raw_os_error() {
        Some(number) if number == Errno::BUSY.raw_os_error() => refused(
            path,
            "is in use (mounted, or a part of it): unmount it first",
        ),
        _ => named(path, &error),
    })
}
