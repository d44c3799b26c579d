"""Before a run: can it run here, and is anything odd on these nodes."""
