"""What a network consists of, and what that costs: parts, prices, bills."""
