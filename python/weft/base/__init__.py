"""What everything stands on: numbers with units, statistics, tables, files."""
