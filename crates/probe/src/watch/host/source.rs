//! What the machine tells of a resource.

/// A value of the time since the last reading, most often a share of it.
pub trait Source {
    /// None where it cannot be read just now.
    fn read(&mut self, seconds: f64) -> Option<f64>;
}
