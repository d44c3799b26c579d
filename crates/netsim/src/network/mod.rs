//! Networks as the simulator sees them: constraints, and for each pair of hosts which of them its traffic crosses.

mod constraints;
mod contended;
mod declared;
mod described;
mod explicit;
mod flow;
mod generate;
mod named;
mod path;

pub use constraints::{Inventory, Network};
pub use contended::{Contended, End};
pub use described::of_fabric;
pub use explicit::{Constraint, Explicit, Route};
pub use flow::Flow;
pub use generate::{generate, generate_naming, generators};
pub use path::{Hop, Path};
