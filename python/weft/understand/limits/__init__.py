"""The limits inside a network: findings, a declared fabric, and their differences."""
