"""Commands that read runs, and turn them into other forms."""
