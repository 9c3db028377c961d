"""Finds additions in Python: a module in the right folder defines an object of the right class.

Its name is TOOL, LAUNCHER or SCHEDULER; rules have any name. No other file mentions it.
"""

import importlib
import os
import pkgutil
import re
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from weir.base.errors import InputError, WeirError

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
NEEDED = ("jsonschema>=4.18", "PyYAML>=6")
_PACKAGES = {"yaml": "PyYAML"}  # by the module, where it has another name
_FIRST_SENTENCE = re.compile(r"(?<=[!?.]) |\n")


def install_hint(*extras: str) -> str:
    """The command that installs what these extras need."""
    needed = dict.fromkeys(package for extra in extras for package in REQUIREMENTS[extra])
    return f"pip install {_quoted(needed)}"


def _quoted(packages: Iterable[str]) -> str:
    return " ".join(f"'{package}'" if ">" in package else package for package in packages)


def require_docstrings() -> None:
    """Refuses a Python that drops them: those of the rules of the audit are printed."""
    if sys.flags.optimize > 1:
        message = "Python drops the texts of the rules of the audit"
        raise InputError(message, key="PYTHONOPTIMIZE", hint="unset PYTHONOPTIMIZE")


def unusable_package(error: AttributeError | ImportError) -> WeirError | None:
    """The message for a package that is not installed, or not so that weir can use it; None for a fault."""
    return _missing_package(error) or _shadowing_package(error)


def _missing_package(error: Exception) -> WeirError | None:
    """None for a module that weir does not require: its absence is a fault."""
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    package = _PACKAGES.get(name or "", (name or "").partition(".")[0])
    for extra, needs in {**REQUIREMENTS, "": NEEDED}.items():
        if package and any(re.match(rf"{re.escape(package)}\b(?!-)", one) for one in needs):
            hint = install_hint(extra) if extra else f"pip install {_quoted(NEEDED)}"
            return WeirError(f"the Python package {package} is not installed", hint=hint)
    return None


def _shadowing_package(error: Exception) -> WeirError | None:
    """Modules of a centre put packages of another version, or of another Python, before weir's own."""
    entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    folders = [Path(entry) for entry in entries if entry and not (Path(entry) / "weir/base").is_dir()]
    for file in map(Path, _files(error)):
        for folder in folders:
            if file.is_relative_to(folder):
                name = file.relative_to(folder).parts[0].removesuffix(".py")
                return WeirError(
                    f"the Python package {name} of {folder} cannot be used: {error}",
                    hint="unset PYTHONPATH, or put env -u PYTHONPATH before the command: "
                    "what it names comes before the packages of weir",
                )
    return None


def _files(error: Exception) -> Iterator[str]:
    """The files that an error is about: its module, and where it was raised."""
    yield getattr(error, "path", None) or ""
    yield getattr(getattr(error, "obj", None), "__file__", None) or ""
    yield from (frame.filename for frame in reversed(traceback.extract_tb(error.__traceback__)))


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
