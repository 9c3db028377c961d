"""The only loop over cells, and the only place that starts benchmark programs."""
