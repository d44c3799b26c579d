"""Which knobs to change according to a run's evidence: rules of catalog/advice.toml on facts of its steps."""
