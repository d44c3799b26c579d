"""`weft vpn`: a tunnel beside the path below it, in paired blocks."""
