"""Settings of sockets, interfaces and hosts: their catalogue, and recommendations."""
