//! What this process has used.

/// None where the kernel does not say.
pub fn own() -> Option<libc::rusage> {
    // SAFETY: all fields are numbers, for which zeros are values; the kernel fills all of them.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) == 0).then_some(usage)
    }
}
