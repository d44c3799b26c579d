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

/// A socket option whose value is a 64-bit integer.
pub fn option_u64(fd: i32, level: i32, name: i32) -> io::Result<u64> {
    let (mut value, mut length) = (0u64, size_of::<u64>() as libc::socklen_t);
    let target = (&raw mut value).cast();
    // SAFETY: the pointers describe `value` and `length`, which live until the call is over.
    check(unsafe { libc::getsockopt(fd, level, name, target, &raw mut length) })?;
    Ok(value)
}
