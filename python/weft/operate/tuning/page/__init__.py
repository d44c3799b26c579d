"""The page about a tuning: tuning.html."""
