"""What the preload library saw of a program's calls."""
