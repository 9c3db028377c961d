"""What I/O any program really does, by mounts, and which of it can be believed: weir prove."""
