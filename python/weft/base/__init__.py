"""Foundations without dependencies inside weft: numbers with units, statistics, tables, files."""
