"""Tasks of those who run a cluster: acceptance, checks, tuning, ports, VPNs."""
