"""The only loop over cells: launch, time-limit, record, resume, clean up. Only this package starts benchmark programs."""
