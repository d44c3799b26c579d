"""Explains modes, dips, outliers and limits of a run by the counters in its evidence table."""
