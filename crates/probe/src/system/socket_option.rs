//! Options of sockets that no library of ours has a call for.

use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::AsRawFd;

/// Set an option, most of which are an i32.
pub fn set<T: Plain>(socket: &impl AsRawFd, level: i32, name: i32, value: T) -> io::Result<()> {
    // SAFETY: the pointer and length describe `value`, which outlives the call.
    let outcome = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            name,
            (&raw const value).cast(),
            size_of::<T>() as libc::socklen_t,
        )
    };
    match outcome {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Plain data: zeros are a value of it, and so is whatever the kernel writes.
///
/// # Safety
/// Only for numbers, and arrays and structs of numbers.
pub unsafe trait Plain {}

// SAFETY: a number.
unsafe impl Plain for i32 {}
// SAFETY: a number.
unsafe impl Plain for u64 {}
// SAFETY: numbers.
unsafe impl Plain for libc::tcp_info {}
// SAFETY: numbers.
unsafe impl<const N: usize> Plain for [u32; N] {}

/// Read an option; what the kernel does not fill is zero.
pub fn get<T: Plain>(socket: &impl AsRawFd, level: i32, name: i32) -> io::Result<T> {
    // SAFETY: zeros are a value of plain data.
    let mut value: T = unsafe { zeroed() };
    let mut length = size_of::<T>() as libc::socklen_t;
    // SAFETY: the pointer and length describe `value`, which the kernel fills up to that length.
    let outcome = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            level,
            name,
            (&raw mut value).cast(),
            &raw mut length,
        )
    };
    match outcome {
        0 => Ok(value),
        _ => Err(io::Error::last_os_error()),
    }
}
