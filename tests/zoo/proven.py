"""A program under `weir prove`: its results with their verdicts, without what the machine did beside it."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.programs import ran
from tests.zoo.composed.composer import OF_THE_MACHINE
from tests.zoo.staging import served_by

_LIMIT_S = 120
TRIALS = 5


@dataclass(frozen=True)
class Proven:
    """A result that a program printed."""

    verdict: str
    findings: tuple[str, ...]
    missing: tuple[str, ...]
    notes: str
    proof: str
    text: str  # what weir prove printed

    @property
    def of_itself(self) -> tuple[str, ...]:
        """Findings that do not tell of other users of the machine."""
        return tuple(one for one in self.findings if one not in OF_THE_MACHINE)

    @property
    def is_proven(self) -> bool:
        """But for what others did on the machine, and for a result that was too short on it."""
        return not self.of_itself and not self.missing


def proven(
    command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None, *options: str
) -> list[Proven]:
    """Without --on: all mounts count, as users start it."""
    report = folder / "proven.json"
    weir = [sys.executable, "-m", "weir", "prove", "--json", str(report), *options, "--", *command]
    done = ran(weir, cwd=folder, env={**os.environ, **(environment or {})}, check=True, timeout=_LIMIT_S)
    return results_of(report.read_text(encoding="utf-8"), done.stderr)


def results_of(report: str, printed: str) -> list[Proven]:
    """Those in the document that --json writes."""
    return [
        Proven(
            one["verdict"],
            _names(one.get("reasons")),
            _names(one.get("missing")),
            one.get("notes") or "",
            one.get("proof") or "",
            printed,
        )
        for one in json.loads(report)["claims"]
    ]


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(part for part in (text or "").split(";") if part)


def clean(attempt: Callable[[], list[Proven]]) -> list[Proven]:
    """Of several trials the first whose findings are all of the program: others use the disk, too."""
    for _ in range(TRIALS):
        found = attempt()
        if all(one.of_itself == one.findings for one in found):
            break
    return found


@contextmanager
def passed_through(folder: Path, place: Path, source: str) -> Iterator[None]:
    """An honest FUSE file system at place that passes all on to a folder and gives itself that source."""
    stored = folder / "stored"
    stored.mkdir()
    place.mkdir()
    arguments = [stored, place, "-f", "-o", f"fsname={source.format(stored=stored)},default_permissions"]
    with served_by("passing_fuse.c", folder, arguments, place):
        yield
