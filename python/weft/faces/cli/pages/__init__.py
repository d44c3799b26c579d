"""Files about the command line that a wheel contains."""
