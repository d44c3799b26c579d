"""Analysis of probe series of a link: outages, congestion, changes, alpha and beta by hour."""
