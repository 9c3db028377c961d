"""A survey of the file formats below a directory: by content, not by name."""
