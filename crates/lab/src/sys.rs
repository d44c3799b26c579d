//! Turns the return values of system calls into results.

use std::io;

/// The value of a call that returns -1 for an error.
pub fn check(value: libc::c_int) -> io::Result<libc::c_int> {
    if value == -1 {
        Err(io::Error::last_os_error())
    } else {
        Ok(value)
    }
}

/// Sets a socket option whose value is an integer.
pub fn set_option(fd: i32, level: i32, name: i32, value: i32) -> io::Result<()> {
    let length = size_of::<i32>() as libc::socklen_t;
    // SAFETY: the pointer and the length describe `value`.
    check(unsafe { libc::setsockopt(fd, level, name, (&raw const value).cast(), length) })?;
    Ok(())
}
