"""What a run says about the network."""
