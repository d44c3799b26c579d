"""Which knobs the evidence of a run suggests to change: rules of catalog/advice.toml on facts of its steps."""
