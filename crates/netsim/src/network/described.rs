//! The network that a fabric describes.

use weft_fabric::{Fabric, Routing};

use super::Network;
use super::declared::Declared;
use super::meshed::Meshed;

/// The network of a declared fabric; the error says why its hosts have no paths.
pub fn of_fabric(fabric: &Fabric) -> Result<Box<dyn Network>, String> {
    Ok(match fabric.routing {
        Routing::Tree => Box::new(Declared::new(fabric)?),
        Routing::Shortest | Routing::Hash { .. } => Box::new(Meshed::new(fabric)?),
    })
}
