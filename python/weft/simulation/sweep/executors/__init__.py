"""Executors of chunks, each with the interface of concurrent.futures.Executor."""
