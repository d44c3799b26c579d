"""The door of `import weft`: calls are checked, and errors say what a Python user can do."""
