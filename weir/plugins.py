"""How to add something in Python: a module in the right folder defines an object of the right class.

Its name is TOOL, LAUNCHER or SCHEDULER; rules and conditions have any name. No other file mentions it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


def modules(package: str) -> Iterator[ModuleType]:
    """The modules and packages in the folder of a package."""
    for info in pkgutil.iter_modules(importlib.import_module(package).__path__):
        yield importlib.import_module(f"{package}.{info.name}")


def objects(module: ModuleType, kind: type[T]) -> Iterator[T]:
    """What a module defines of this class, each once and in its order."""
    yield from {id(item): item for item in vars(module).values() if isinstance(item, kind)}.values()


def plugins(package: str, name: str, kind: type[T]) -> dict[str, T]:
    """The object of this name and class in each module of a package, by the name of the module."""
    found = {module.__name__.rpartition(".")[2]: getattr(module, name, None) for module in modules(package)}
    return {module: item for module, item in found.items() if isinstance(item, kind)}
