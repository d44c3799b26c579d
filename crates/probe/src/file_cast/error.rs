//! Messages about files: the path first, then what is wrong.

use std::io;

/// What the kernel says of a path.
pub fn named(path: &str, error: &io::Error) -> io::Error {
    let said = match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "no permission".to_owned(),
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        _ => error.to_string(),
    };
    io::Error::new(error.kind(), format!("{path}: {said}"))
}

/// What cannot be done with a path.
pub fn refused(path: &str, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("{path}: {why}"))
}
