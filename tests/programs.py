"""Files that tests write and programs that they start, some in place of launchers and batch systems."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def write_file(path: Path, text: str) -> Path:
    """And its directory if that is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def write_program(path: Path, text: str) -> Path:
    """A file that may be executed."""
    write_file(path, text).chmod(0o755)
    return path


def ran(
    command: Sequence[object], *, code: int | None = None, check: bool = False, **options: Any
) -> subprocess.CompletedProcess[str]:
    """The output of a program, however it ended where no exit code is expected."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=check, **options)
    assert code in (None, done.returncode), f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done
