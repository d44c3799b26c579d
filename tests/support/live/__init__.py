"""Programs, hosts and servers that tests start."""
