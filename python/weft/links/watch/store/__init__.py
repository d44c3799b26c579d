"""The folder of a watch: days of probes, their summaries, and older weeks thinned."""
