"""Sub-commands of weir, found by their files: each defines NAME, HELP, EXAMPLE, add_arguments and execute."""
