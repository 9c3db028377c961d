"""Finds additions in Python: a module in the right folder defines an object of the right class.

Its name is TOOL, LAUNCHER or SCHEDULER; rules and conditions have any name. No other file mentions it.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import TypeVar

from weir.base.errors import WeirError

T = TypeVar("T")


def modules(package: str) -> Iterator[ModuleType]:
    """The modules and packages in the folder of a package."""
    for info in pkgutil.iter_modules(importlib.import_module(package).__path__):
        yield importlib.import_module(f"{package}.{info.name}")


def objects(module: ModuleType, kind: type[T]) -> Iterator[T]:
    """Objects of this class that a module defines, each once and in its order."""
    yield from {id(item): item for item in vars(module).values() if isinstance(item, kind)}.values()


def plugins(package: str, name: str, kind: type[T]) -> dict[str, T]:
    """The object of this name and class in each module of a package, by the name of the module."""
    found = {module.__name__.rpartition(".")[2]: getattr(module, name, None) for module in modules(package)}
    return {module: item for module, item in found.items() if isinstance(item, kind)}


_STATISTICS = ("numpy>=2", "scipy>=1.15", "ruptures>=1.1.9")
# The extras of pyproject.toml. Hints name these packages, because no index has weir itself yet.
REQUIREMENTS: Mapping[str, tuple[str, ...]] = {
    "workflow": ("snakemake>=8.25.2", "pygments"),
    "reframe": ("reframe-hpc>=4.7.3",),
    "statistics": _STATISTICS,
    "tune": (*_STATISTICS, "optuna>=5"),
    "darshan": ("darshan>=3.4.7",),
}
_FIRST_SENTENCE = re.compile(r"(?<=[!?.]) |\n")


def install_hint(*extras: str) -> str:
    """The command that installs what these extras need."""
    needed = dict.fromkeys(package for extra in extras for package in REQUIREMENTS[extra])
    return "pip install " + " ".join(f"'{package}'" if ">" in package else package for package in needed)


def missing_package(error: ModuleNotFoundError) -> WeirError | None:
    """The message for a package of an extra that a function imports and that is not installed; None for any
    other module, whose absence is a fault."""
    package = (error.name or "").partition(".")[0]
    for extra, needs in REQUIREMENTS.items():
        if package and any(re.match(rf"{re.escape(package)}\b(?!-)", one) for one in needs):
            return WeirError(f"the Python package {package} is not installed", hint=install_hint(extra))
    return None


def load(module: str, extra: str) -> ModuleType:
    """The module, or a message that names what it imports and lacks.

    PyDarshan ends with a RuntimeError where it has no wheel for this Python: its source has no library.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise WeirError(
            f"the Python package {error.name} is not installed", hint=install_hint(extra)
        ) from None
    except (ImportError, OSError, RuntimeError) as error:
        raise WeirError(
            f"the Python package {module} cannot be loaded: {_FIRST_SENTENCE.split(str(error))[0]}",
            hint="install its wheel under a Python that it exists for, or put the library on LD_LIBRARY_PATH",
        ) from None
