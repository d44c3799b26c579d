//! The link of an interface, which some changes take down for a while.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use crate::system::interfaces;

const WITHIN: Duration = Duration::from_secs(8);
const LOOK_EVERY: Duration = Duration::from_millis(25);
/// A driver takes the link down a moment after the command has ended, so it must be up so many times in a row.
const STEADY: u32 = 4;

/// Whether an interface is up and its link too.
pub fn is_up(interface: &str) -> bool {
    const RUNNING: u32 = (libc::IFF_UP | libc::IFF_RUNNING) as u32;
    let addresses = interfaces::addresses();
    let mut own = addresses.iter().filter(|one| one.interface == interface);
    own.any(|one| one.flags & RUNNING == RUNNING)
}

/// Wait until the link is up and stays so.
pub fn wait(interface: &str) -> io::Result<()> {
    let deadline = Instant::now() + WITHIN;
    let mut steady = 0;
    while steady < STEADY {
        if Instant::now() > deadline {
            let message = format!("{interface} had no link for {} s", WITHIN.as_secs());
            return Err(io::Error::new(io::ErrorKind::TimedOut, message));
        }
        thread::sleep(LOOK_EVERY);
        steady = if is_up(interface) { steady + 1 } else { 0 };
    }
    Ok(())
}
