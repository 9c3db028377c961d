"""Parts of weir that need more than the smallest installation are loaded when they are used."""

from __future__ import annotations

import importlib
from types import ModuleType

from weir.errors import WeirError


def load(module: str, extra: str) -> ModuleType:
    """The module, or a message that names the extra which brings what it imports."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise WeirError(
            f"the Python package {error.name} is not installed", hint=f"pip install 'weir[{extra}]'"
        ) from None
