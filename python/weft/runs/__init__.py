"""The run folder: its records, samples and tables."""
