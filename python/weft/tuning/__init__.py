"""`weft tune`: candidates are raced in paired blocks, the winner is confirmed, and what was found becomes a recommendation."""
