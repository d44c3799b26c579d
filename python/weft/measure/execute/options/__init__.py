"""The options of a run, and the keys of the plan that they change."""
