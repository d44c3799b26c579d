"""What may be asked of a run, and what it changes in the plan."""
