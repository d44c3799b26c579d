"""`weft ports`: which ports a job needs, and the smallest rules that let it pass."""
