"""What recommendations are drawn from: one file per kind of folder."""
