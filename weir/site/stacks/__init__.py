"""What a stack really holds: probed from the files of its programs, never believed from their names."""
