"""Many simulations, on the processors of one machine or of many."""
