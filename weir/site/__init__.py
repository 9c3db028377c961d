"""A centre: its batch systems, launchers and software stacks."""
