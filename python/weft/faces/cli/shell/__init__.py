"""The command line for shells and man."""
