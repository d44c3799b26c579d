"""What to do about a cluster, in order of value, with evidence and how to verify it afterwards."""
