"""The result of a race: the candidates' scores by block, which were dropped and why, and which is confirmed."""
