"""Keys of a simulated machine, fitted to what was measured on a real one."""
