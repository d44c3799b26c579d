"""Applications that use the network while it is measured: a receiver that computes, and a web server."""
