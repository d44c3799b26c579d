"""weft from Python: what `import weft` offers. The command line calls the same functions."""
