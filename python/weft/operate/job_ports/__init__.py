"""`weft ports`: which ports a job needs, and the smallest firewall rules that allow it."""
