"""The command line of a verb: argparse, with a name for each kind of option that verbs have."""

import argparse
from pathlib import Path
from typing import Any


class Parser(argparse.ArgumentParser):
    """The parser of a verb. about: the help; more: what else argparse takes, such as a default."""

    def flag(self, name: str, about: str) -> None:
        """An option without a value."""
        self.add_argument(name, action="store_true", help=about)

    def value(self, name: str, metavar: str, about: str, **more: Any) -> None:
        """An option with a value, or an argument of the verb without a name."""
        self.add_argument(name, metavar=metavar, help=about, **more)

    def path(self, name: str, metavar: str, about: str, **more: Any) -> None:
        """The same with a file or a directory as its value."""
        self.value(name, metavar, about, type=Path, **more)

    def repeated(self, name: str, metavar: str, about: str, **more: Any) -> None:
        """An option that may be given several times, as a list of its values."""
        self.value(name, metavar, about, action="append", default=[], **more)
