"""Running weir-io in tests: one rank alone, several under mpirun, and its document."""

import atexit
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from tests.programs import ran

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 60
QUIET_MPI = ["--mca", "pml", "ob1", "--mca", "btl", "self,vader", "--bind-to", "none", "--oversubscribe"]
# Ranks that a library has parted need not wait as long as on a machine that measures.
GRACE = {"WEIR_GRACE_S": "3"}
# One rank without mpirun starts a daemon, which it needs for nothing but to start more ranks.
ALONE = {"OMPI_MCA_ess_singleton_isolated": "1"}
_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


Fault = Callable[..., dict[str, str]]


@cache
def open_mpi() -> dict[str, str]:
    """Variables of programs of Open MPI: root may start them, and their directory is this process's own.

    Whoever ends first removes the common one under those who start at that moment: "mkdir: File exists".
    """
    folder = tempfile.mkdtemp(prefix="weir-ompi-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return _AS_ROOT | {"OMPI_MCA_orte_tmpdir_base": folder}


def argv(line: str) -> list[str]:
    """The arguments of a command line, none of which has a space."""
    return line.split()


@dataclass(frozen=True)
class Done:
    """A finished run; document is empty where weir-io wrote none. folder: of a cell, with its output."""

    code: int
    out: str
    err: str
    document: dict[str, Any] = field(default_factory=dict)
    folder: Path = Path()

    @property
    def complaints(self) -> list[str]:
        """What weir-io itself prints on stderr."""
        return [line for line in self.err.splitlines() if line.startswith("weir-io: ")]

    def result(self, access: str, iteration: int = 0) -> dict[str, Any]:
        found = [r for r in self.document["results"] if (r["access"], r["iteration"]) == (access, iteration)]
        assert len(found) == 1, f"{len(found)} results for {access} {iteration}"
        return dict(found[0])


def succeeded(done: Done) -> Done:
    assert done.code == 0, done.err
    assert done.document["status"] == "done"
    assert done.document["errors"] == []
    return done


@dataclass(frozen=True)
class Engine:
    """weir-io of one build, with a folder for its documents and the personality that has them."""

    program: Path
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    personality: str = "ior"

    def call(
        self,
        arguments: Sequence[object],
        ranks: int = 1,
        environment: Mapping[str, str] | None = None,
        limit_s: float = LIMIT_S,
    ) -> Done:
        launcher = [mpirun(), *QUIET_MPI, "-n", str(ranks)] if ranks > 1 else []
        done = ran(
            [*launcher, self.program, *arguments],
            env={**os.environ, **ALONE, **open_mpi(), **GRACE, **self.environment, **(environment or {})},
            cwd=self.folder,
            errors="replace",
            timeout=limit_s,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def run(self, *arguments: object, ranks: int = 1, environment: Mapping[str, str] | None = None) -> Done:
        """With a document; asserts nothing."""
        summary = self.folder / "summary.json"
        summary.unlink(missing_ok=True)
        done = self.call([self.personality, *arguments, f"--json={summary}"], ranks, environment)
        return replace(done, document=json.loads(summary.read_text()) if summary.exists() else {})

    def failed(
        self, *arguments: object, ranks: int = 1, environment: Mapping[str, str] | None = None
    ) -> Done:
        """One that was not refused, and ends with an error."""
        done = self.run(*arguments, ranks=ranks, environment=environment)
        assert done.code == 1, done.out + done.err
        return done

    def good(self, *arguments: object, ranks: int = 1, environment: Mapping[str, str] | None = None) -> Done:
        return succeeded(self.run(*arguments, ranks=ranks, environment=environment))


@cache
def romio() -> str:
    """The component of the installed Open MPI that is ROMIO: romio321 of 4.1, romio341 of 5.0."""
    if shutil.which("ompi_info") is None:
        return "romio"
    listed = ran(["ompi_info", "--parsable"], check=True).stdout
    found = re.search(r"^mca:io:(romio\d+):", listed, re.MULTILINE)
    return found[1] if found else "romio"


def run_unit(build: Path, name: str, *arguments: object, **variables: str) -> str:
    """What a program of unit/ prints whose checks hold."""
    done = ran(
        [build / "unit" / f"unit-{name}", *arguments],
        env={**os.environ, **variables},
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def mpirun() -> str:
    found = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    assert found, "no mpirun on the PATH"
    return found


def trace(folder: Path, stem: str, ranks: int) -> list[list[tuple[str, int, int]]]:
    """What each rank requested the null back end for: access, offset, bytes."""
    lists = []
    for rank in range(ranks):
        lines = (folder / f"{stem}.{rank}").read_text().splitlines()
        lists.append([(word, int(offset), int(size)) for word, offset, size in map(str.split, lines)])
    return lists
