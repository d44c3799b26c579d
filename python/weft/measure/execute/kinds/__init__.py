"""What each kind of step needs, leaves open and does: a file for each, and a line in `every.py`."""
