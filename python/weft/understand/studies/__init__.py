"""The effect of a setting: steps that a plan repeats for each of its values."""
