"""How much a victim is slowed down by congestors, and where they share the network."""
