"""`weft vpn`: a tunnel compared with the path below it, in paired blocks."""
