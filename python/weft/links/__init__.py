"""Links between clusters, watched for weeks: probes, what they say, alerts, reports."""
