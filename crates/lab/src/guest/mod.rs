//! Guests: virtual machines as hosts of a lab.
//!
//! The keeper starts their emulators, so that they end with it (`guests`). Programs in a guest are started by way of
//! its serial ports: `into` speaks on this machine, `attend` in the guest, both in `frame`s.

pub mod attend;
pub mod beat;
pub mod frame;
pub mod guests;
pub mod into;
pub mod pace;
mod session;
