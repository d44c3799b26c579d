"""What a setting does: steps that a plan repeats for each of its values."""
