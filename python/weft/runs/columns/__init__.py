"""Samples and tables as Arrow and Parquet."""
