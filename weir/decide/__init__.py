"""Decisions by records: faster or slower, accepted, normal, the best setting, a predicted time."""
