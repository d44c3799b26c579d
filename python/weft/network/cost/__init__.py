"""Parts of a network and their cost: parts, prices, bills."""
