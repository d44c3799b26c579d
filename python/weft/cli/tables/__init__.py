"""Tables on a terminal."""
