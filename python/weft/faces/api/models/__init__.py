"""Models, machines and their fits."""
