"""Clean-up, by which every end of a measurement leaves nothing behind: locks, notes, the guardian."""
