"""weir prove: the I/O that any program really does, by mounts, and which of it can be believed."""
