//! A car's day.

/// One car: when it wants to leave, at the end of which link it stands, and where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trip {
    pub departure_s: u32,
    pub origin: u32,
    pub zone: u16,
}
