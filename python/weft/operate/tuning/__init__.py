"""`weft tune`: candidates compete in paired blocks, and the winner is confirmed."""
