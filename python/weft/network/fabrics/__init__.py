"""Networks seen from outside: what they consist of, and the formats of other tools."""
