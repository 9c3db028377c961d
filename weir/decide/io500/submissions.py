"""The table of published submissions, reference/io500-submissions.csv."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from weir.base.errors import WeirError
from weir.data import data_folder
from weir.decide.io500.result import PHASES, Phase, Published, Result
from weir.decide.io500.result_files import number_at_least_zero

DEFAULT = data_folder("reference") / "io500-submissions.csv"
_COLUMNS = {name: f"{name}_{unit.replace('/', '_').lower()}" for name, unit in PHASES.items()}
_ALSO = ("system", "filesystem", "submission", "version", "nodes", "procs", "score")
_HINT = f"the columns are those of {DEFAULT}"


@dataclass(frozen=True)
class Submission:
    """One published result set."""

    result: Result
    system: str
    filesystem: str

    @property
    def on_ime(self) -> bool:
        return re.search(r"\bIME", self.filesystem) is not None


def read_submissions(file: Path) -> list[Submission]:
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream)
            missing = [name for name in (*_COLUMNS.values(), *_ALSO) if name not in (reader.fieldnames or ())]
            if missing:
                raise WeirError(
                    f"the column {missing[0]} is missing", file=str(file), line=1, hint=_HINT, exit_code=2
                )
            found = [_submission(row, file, reader.line_num) for row in reader]
    except OSError as error:
        raise WeirError(
            f"cannot be read: {error.strerror}",
            file=str(file),
            hint=f"--submissions takes a table with the columns of {DEFAULT}",
            exit_code=2,
        ) from None
    if not found:
        raise WeirError("contains no submission", file=str(file), hint=_HINT, exit_code=2)
    return found


def _submission(row: Mapping[str, str], file: Path, line: int) -> Submission:
    half_steps = _half_steps(row)
    phases = {
        name: Phase(name, _number(row, column, file, line), half_steps[PHASES[name]])
        for name, column in _COLUMNS.items()
    }
    result = Result(
        file,
        phases,
        Published(_number(row, "score", file, line)),
        row["version"],
        _count(row, "nodes", file, line),
        _count(row, "procs", file, line),
        row["submission"],
    )
    return Submission(result, row["system"], row["filesystem"])


def _half_steps(row: Mapping[str, str]) -> dict[str, float]:
    """Half of the last digit by unit. The table drops trailing zeros: the longest number has all digits."""
    found = {}
    for unit in set(PHASES.values()):
        texts = [row[column] or "" for name, column in _COLUMNS.items() if PHASES[name] == unit]
        found[unit] = 0.5 * 10.0 ** -max(len(text.partition(".")[2]) for text in texts)
    return found


def _number(row: Mapping[str, str], column: str, file: Path, line: int) -> float:
    return number_at_least_zero(row[column] or "an empty field", file, line, column)


def _count(row: Mapping[str, str], column: str, file: Path, line: int) -> int | None:
    if not row[column]:
        return None
    count = _number(row, column, file, line)
    if count < 1 or count != int(count):
        raise WeirError(
            f"{row[column]} is not a positive whole number",
            file=str(file),
            line=line,
            key=column,
            hint="leave the field empty where the number is unknown",
            exit_code=2,
        )
    return int(count)
