"""A survey of the file formats below a directory: what the files contain, not what their names claim."""
