"""Several pairs at once over several interfaces."""
