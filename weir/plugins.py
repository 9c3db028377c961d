"""The one way to add something in Python: a module in the right folder defines an object of the right class.

Tools, launchers, schedulers, audit rules and conditions of contracts are found so; no other file names them.
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


def plugins(package: str, kind: type[T]) -> Iterator[tuple[str, T]]:
    """Each object of this class in the modules of a package, with the name of its module."""
    for module in modules(package):
        yield from ((module.__name__.rpartition(".")[2], item) for item in objects(module, kind))
