"""weir prove in a folder of its own."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.prove_programs import prove_command
from tests.engine.runs import open_mpi
from tests.programs import ran
from weir.witness.document import LIBRARY

Prove = Callable[..., dict[str, Any]]
MIB = 2**20
CLOSE = 0.01


def counted(seen: dict[str, Any], name: str) -> int:
    return sum(phase[name] for mount in seen["mounts"] for phase in mount["phases"])


def near(seen: int, truth: int) -> bool:
    return abs(seen - truth) <= CLOSE * truth


def need_programs(*names: str) -> None:
    for name in names:
        if not shutil.which(name):
            pytest.skip(f"{name} is missing")


def need_library() -> None:
    if not LIBRARY.is_file():
        pytest.skip(f"{LIBRARY.name} is not built: make build")


@pytest.fixture
def prove(tmp_path: Path) -> Prove:
    """Runs a program in a folder of its own, counts what is below it, and returns what was seen."""
    need_library()
    data = tmp_path / "data"
    data.mkdir()

    def run(
        *command: str, options: tuple[str, ...] = (), code: int = 0, ahead: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        need_programs(command[0])
        seen = tmp_path / "seen.json"
        whole = prove_command(data, seen, *options)
        done = ran([*ahead, *whole, *command], cwd=data, env={**os.environ, **open_mpi()}, timeout=120)
        assert done.returncode == code, done.stdout + done.stderr
        return dict(json.loads(seen.read_text())) | {"stdout": done.stdout, "stderr": done.stderr}

    return run
