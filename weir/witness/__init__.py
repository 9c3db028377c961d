"""The witness: a preload library, and what it saw of the calls of a program."""
