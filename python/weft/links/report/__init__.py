"""The page about a watch: links over weeks."""
