"""What makes every end of a measurement leave nothing behind: locks, notes, the guardian."""
