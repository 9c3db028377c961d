"""The terms of a measurement: rows and their columns, and the forms that values may have."""
