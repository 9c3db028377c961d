"""Files that tests write and programs that they start, some in place of launchers and batch systems."""

import importlib.util
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any


def write_file(path: Path, text: str) -> Path:
    """And its directory if that is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def replace_in(path: Path, old: str, new: str) -> None:
    """A text that is not in the file any more is a mistake of the test."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{old!r} is not in {path}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def write_program(path: Path, text: str) -> Path:
    """A file that may be executed."""
    write_file(path, text).chmod(0o755)
    return path


def module_of(file: Path) -> ModuleType:
    """A script or a recipe that is in no package."""
    description = importlib.util.spec_from_file_location(file.stem, file)
    assert description is not None
    assert description.loader is not None
    module = importlib.util.module_from_spec(description)
    description.loader.exec_module(module)
    return module


def ran(
    command: Sequence[object], *, code: int | None = None, check: bool = False, **options: Any
) -> subprocess.CompletedProcess[str]:
    """The output of a program, however it ended where no exit code is expected."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=check, **options)
    assert code in (None, done.returncode), f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done
