"""Medians, means and effects with their intervals: numbers in, numbers out."""
