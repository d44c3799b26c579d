"""How people and programs use weft: command line, Python, pages in a browser."""
