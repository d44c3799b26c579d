"""Networks seen from outside: what they consist of, and the formats that other tools know them in."""
