"""Records: one access of one iteration of a run, one row; read, written and collected here."""
