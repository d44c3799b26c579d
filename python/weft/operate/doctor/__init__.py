"""What weft can do on a machine, and how to enable the rest."""
