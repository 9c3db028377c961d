"""Parts of weir that need more than the smallest installation are loaded when they are used."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import ModuleType

from weir.errors import WeirError

_STATISTICS = ("numpy>=2", "scipy>=1.15", "ruptures>=1.1.9")
# As in pyproject.toml. Hints name these packages: the package `weir` of Python's index is another project.
REQUIREMENTS: Mapping[str, tuple[str, ...]] = {
    "workflow": ("snakemake>=8.25.2", "pygments"),
    "reframe": ("reframe-hpc>=4.7.3",),
    "statistics": _STATISTICS,
    "tune": (*_STATISTICS, "optuna>=5"),
    "darshan": ("darshan>=3.4.7",),
}


def install_hint(*extras: str) -> str:
    """The command that installs what these extras need."""
    needed = dict.fromkeys(package for extra in extras for package in REQUIREMENTS[extra])
    return "pip install " + " ".join(f"'{package}'" if ">" in package else package for package in needed)


def load(module: str, extra: str) -> ModuleType:
    """The module, or a message that names what it imports and lacks."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise WeirError(
            f"the Python package {error.name} is not installed", hint=install_hint(extra)
        ) from None
