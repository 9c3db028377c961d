"""What a measurement is described by: rows and their columns, and the forms that values may have."""
