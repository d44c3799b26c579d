"""What series of probes say of a link: outages, congestion, changes, alpha and beta by hour."""
