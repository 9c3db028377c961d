"""weir: measure storage, prove what was measured, print it."""

__version__ = "0.3.0"
