"""What a race says: how good each candidate was in each block, which are out and why, and which is confirmed."""
