"""What several pairs between two nodes get at once."""
