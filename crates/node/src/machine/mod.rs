//! What a node is made of.

mod breakdown;
mod cache;
mod check;
mod configuration;
mod costs;
mod description;
mod footprints;
mod idle;
mod interfaces;
mod keys;
mod location;
mod memory;
mod mpi;
mod placement;
mod processor;
mod read;
mod work;

pub use breakdown::PER_BYTE;
pub use cache::{Cache, Holds, MOST_LEVELS};
pub use costs::{Breakdown, Costs, Remote};
pub use description::{
    Application, DriverDomain, Interface, Interrupts, IoBus, Link, Machine, Nic, Sockets,
};
pub use footprints::Footprints;
pub use location::Location;
pub use memory::{Caches, MeanAccess, Memory, MemoryModel};
pub use mpi::{Libraries, Library};
pub use placement::{Placement, Task};
pub use processor::Processor;
pub use work::{Span, Work};
