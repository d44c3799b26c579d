"""Plans: loading, checking, phases."""
