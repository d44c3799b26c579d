"""The ways to use weft: command line, Python, and pages in a browser."""
