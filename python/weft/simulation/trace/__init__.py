"""A message's way through the nodes, event by event."""
