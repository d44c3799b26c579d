"""Health: nodes and uplinks that differ from the others."""
