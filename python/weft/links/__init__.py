"""Links between clusters, probed for weeks: the probes, their analysis, alerts and reports."""
