"""A record: its columns, the cell and the run it belongs to, and the forms that values may have."""
