"""`weft tune`: candidates are raced in paired blocks, and the winner is confirmed."""
