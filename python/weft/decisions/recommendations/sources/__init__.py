"""The sources of recommendations: one file for each kind of folder."""
