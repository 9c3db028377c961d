"""weir: measure storage, prove what was measured, print it."""

__version__ = "0.1.0"
