"""`weft watch`: one file per command."""
