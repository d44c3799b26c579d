"""Health: which node or uplink is not like the others."""
