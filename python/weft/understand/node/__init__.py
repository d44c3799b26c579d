"""What simulated nodes were busy with."""
