"""Settings of sockets, interfaces and hosts: what the catalogue says of each, and recommendations."""
