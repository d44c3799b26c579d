//! Memory for messages.

use std::io;

use memmap2::MmapMut;

/// Memory for messages of at most `bytes`, every page of it touched.
///
/// It starts on a page: the kernel copies from and to an address that is not a multiple of a cache line more slowly.
pub fn memory(bytes: u64) -> io::Result<MmapMut> {
    let mut memory = MmapMut::map_anon(bytes.max(1) as usize).map_err(|_| {
        io::Error::new(
            io::ErrorKind::OutOfMemory,
            format!("no memory for a message of {bytes} bytes"),
        )
    })?;
    memory.fill(0x5a);
    Ok(memory)
}
