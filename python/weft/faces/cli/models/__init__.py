"""Commands about what is computed: networks, nodes, models."""
