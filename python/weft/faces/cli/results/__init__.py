"""Commands that read runs, and convert them into other forms."""
