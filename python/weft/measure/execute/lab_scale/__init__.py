"""At which scale this machine carries a lab."""
