"""The folder of a watch: probes by day, their summaries, and thinned older days."""
