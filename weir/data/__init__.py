"""Files that come with weir. `config` is a link to the checkout's config/; a wheel holds a copy of it."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def data_folder(name: str) -> Path:
    """A folder of this package, such as config. pip unpacks wheels, so it is one of the file system."""
    return Path(str(files(__name__).joinpath(name)))
