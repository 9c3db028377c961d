"""Probes the contents of a stack: they come from the files of its programs, never from their names."""
