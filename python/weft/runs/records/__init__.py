"""Records of run.json."""
