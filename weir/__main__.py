"""The program `weir`, also by `python -m weir` where the console script is not installed."""

import sys


def main() -> int:
    """Reading the rest takes longer than many commands: an interrupt meanwhile is one like any other."""
    try:
        from weir.base.processes import Interrupt

        Interrupt()
        from weir.base.errors import open_closed_streams

        open_closed_streams()
        from weir.cli import main as command

        return command()
    except KeyboardInterrupt:
        return 130  # EXIT_INTERRUPTED, which may not be read yet


if __name__ == "__main__":
    sys.exit(main())
