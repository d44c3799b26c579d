"""Commands that say what there is, and what words mean."""
