"""Elements that fail a little: lossy, slow or late in a part of what crosses them."""
