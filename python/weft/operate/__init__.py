"""Jobs of those who run a cluster: accept, check, tune, ports, VPNs."""
