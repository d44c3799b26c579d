"""Applications over the network while it is measured: work for a receiver, and a web server."""
