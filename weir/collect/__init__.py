"""Collecting: the outputs of runs and third-party logs become records, a row per access."""
