"""What moved with the slow parts of a run: modes, dips, outliers and limits explained by the evidence table."""
