"""Grey failures: elements that are lossy, slow or late for a part of their traffic."""
