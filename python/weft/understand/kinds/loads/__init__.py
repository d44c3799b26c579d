"""What applications leave to communication: streams whose receiver computes, and web servers."""
