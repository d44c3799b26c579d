"""`weft watch`: agents probe links for weeks and keep what they measure until it is fetched."""
