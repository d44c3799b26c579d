"""Settings of sockets, interfaces and hosts that may matter: what the catalogue says of each, and what is recommended."""
