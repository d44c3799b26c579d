"""Where chunks are computed, each with the face of concurrent.futures.Executor."""
