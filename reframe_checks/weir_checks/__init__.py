"""The parts of weir's checks; a centre derives checks of its own from these classes."""
