//! The network that a fabric describes.

use weft_fabric::Fabric;

use super::Network;
use super::declared::Declared;

/// The network of a declared fabric; the error says why its hosts have no paths.
pub fn of_fabric(fabric: &Fabric) -> Result<Box<dyn Network>, String> {
    Ok(Box::new(Declared::new(fabric)?))
}
