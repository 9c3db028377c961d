"""The only loop over cells, and the only context that starts benchmark programs."""
