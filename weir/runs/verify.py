"""Finds what was edited, deleted or added since a study was collected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.base.files import from_json
from weir.runs.files import RUN_FILE, file_sha256
from weir.runs.ledger import LEDGER, is_copy, ledger_of
from weir.runs.manifest import digest_of, read_manifest

EDITED, DELETED, ADDED = "edited", "deleted", "added"


@dataclass(frozen=True)
class Difference:
    """One file that is not as it was collected."""

    kind: str
    path: str  # as seen from the study

    def __str__(self) -> str:
        return f"{self.kind}: {self.path}"


@dataclass(frozen=True)
class Verified:
    """The outcome: files compared, differences, and the digest of the manifest."""

    files: int
    differences: tuple[Difference, ...]
    digest: str
    copied: bool = False  # the tables alone are here, elsewhere than where they were collected


def verify(study: Path) -> Verified:
    """Compare all files that the manifest and the run files name, and look for files that none names."""
    text, sums = read_manifest(study)
    digest = digest_of(text)
    found = [_compared(study, name, checksum) for name, checksum in sums.items()]
    runs = [name for name in sums if Path(name).name == RUN_FILE]
    files = len(sums)
    for name in runs:
        outputs = _outputs_of(study / name)
        files += len(outputs)
        parent = Path(name).parent
        found += [_compared(study, str(parent / output), checksum) for output, checksum in outputs.items()]
        found += _added_files(study, parent, {*outputs, RUN_FILE})
    found += _added_runs(study, runs)
    found += _facts_differ(study, digest)
    found += [Difference(EDITED, f"../{LEDGER}")] if ledger_of(study, sums)[1] else []
    differences = sorted(filter(None, found), key=lambda item: (item.path, item.kind))
    return Verified(files, tuple(differences), digest, is_copy(study, sums))


def _compared(study: Path, name: str, checksum: str) -> Difference | None:
    file = study / name
    if not file.is_file():
        return Difference(DELETED, name)
    return None if file_sha256(file) == checksum else Difference(EDITED, name)


def _outputs_of(run_file: Path) -> Mapping[str, str]:
    """The sums in a run.json; none where it is gone or unreadable, which is a difference already."""
    try:
        outputs: Any = from_json(run_file.read_text(encoding="utf-8")).get("sha256", {})
    except (OSError, ValueError, AttributeError):
        return {}
    return outputs if isinstance(outputs, dict) else {}


def _added_files(study: Path, folder: Path, known: set[str]) -> Iterator[Difference]:
    """Raw outputs that no run.json names; a run has a number as its name, nothing else is walked."""
    here = study / folder
    for file in sorted(here.rglob("*")) if folder.name.isdigit() and here.is_dir() else ():
        name = str(file.relative_to(here))
        if file.is_file() and name not in known:
            yield Difference(ADDED, str(folder / name))


def _added_runs(study: Path, runs: list[str]) -> Iterator[Difference]:
    """Executions of these cells that were not collected; attempts that were set aside have other names."""
    known = set(runs)
    for cell in sorted({Path(name).parent.parent for name in runs}):
        for file in (study / cell).glob(f"*/{RUN_FILE}"):
            name = str(cell / file.parent.name / RUN_FILE)
            if file.parent.name.isdigit() and name not in known:
                yield Difference(ADDED, name)


def _facts_differ(study: Path, digest: str) -> Iterator[Difference]:
    """facts.json repeats the digest for the report."""
    file = study / "facts.json"
    try:
        printed = from_json(file.read_text(encoding="utf-8")).get("digest")
    except FileNotFoundError:
        yield Difference(DELETED, file.name)
        return
    except (OSError, ValueError, AttributeError):
        printed = None
    if printed != digest:
        yield Difference(EDITED, file.name)
