"""How a plan is carried out on a testbed."""
