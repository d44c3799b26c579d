"""Models of message times, bandwidth sharing and offload, and their fits to runs."""
