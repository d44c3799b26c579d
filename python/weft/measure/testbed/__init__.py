"""What a plan runs on."""
