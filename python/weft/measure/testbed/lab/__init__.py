"""Labs: virtual clusters of network namespaces."""
