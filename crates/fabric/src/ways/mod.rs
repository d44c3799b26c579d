//! Ways through switches: one where they form a tree, several where they form a mesh, and the limits on them.

mod limit;
mod mesh;
mod mesh_paths;
mod paths;
mod tree;

pub use limit::{Limit, Place, Span};
pub use mesh::Mesh;
pub use paths::Paths;
pub use tree::{Interior, Tree, TreeSwitch, Trunk, nodes_of};
