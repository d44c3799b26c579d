"""What shells and man know of the command line."""
