"""The limits inside a network: findings, a declared fabric, and where they differ."""
