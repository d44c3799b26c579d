"""Safe reading and writing of files and folders."""
