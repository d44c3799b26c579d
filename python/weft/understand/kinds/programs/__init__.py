"""Programs of nodes that were replayed: traces, halos, and the phases of other programs."""
