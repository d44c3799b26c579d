"""What a plan leaves open, settled before the run begins."""
