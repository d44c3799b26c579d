"""`weft watch`: links are probed for weeks by agents that keep what they measured until it is fetched."""
