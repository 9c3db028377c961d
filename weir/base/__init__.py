"""Code that knows nothing of storage benchmarks: errors, units, files, processes, mounts and interrupts."""
