"""A study as one file that anybody can check and draw again: data, plan, code, checksums and metadata."""
