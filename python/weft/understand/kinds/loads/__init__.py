"""Communication beside applications: streams whose receiver computes, and web servers."""
