"""What each kind of step needs, leaves open and does: one file for each, and its name in `every.py`."""
