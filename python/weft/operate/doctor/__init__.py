"""What a machine can do for weft, and how to get what it cannot."""
