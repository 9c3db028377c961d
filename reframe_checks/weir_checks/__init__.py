"""What the checks of weir are made of; a centre derives checks of its own from these classes."""
