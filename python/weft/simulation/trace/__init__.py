"""The path of a message through the nodes, event by event."""
