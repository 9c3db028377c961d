"""The exchange with ReFrame: campaigns from its results database, and bounds for its checks.

Each session of the database is a campaign, each performance variable a record. A check of weir stores with
its values which cells they are, so that they continue the series of studies. Any other test is a series as
well, if its variables are rates: bytes per second, or operations per second.
"""

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from weir.base.errors import InputError
from weir.base.files import NUMBER, read_shaped
from weir.records.model import Row

_MAGIC = b"SQLite format 3\0"
_MIB = 2**20
_BYTES = re.compile(r"([KMGT]?)(i?)B(?:yte)?s?/s(?:ec)?", re.IGNORECASE)
_OPERATIONS = ("op/s", "ops/s", "1/s", "io/s", "iops")
_POWERS = ("", "K", "M", "G", "T")
_OF_A_CELL = (
    *("cell", "label", "suite", "experiment", "site", "target", "stack", "tool", "api", "nn", "ppn"),
    "emulated",
)
_MISSING = "records of the runs"  # a median has no evidence of its own


@dataclass(frozen=True)
class ReframeRun:
    """One run of ReFrame."""

    uuid: str
    rows: tuple[Row, ...]
    other_units: frozenset[str]  # of values that are no rates


def is_database(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def sessions(file: Path) -> Iterator[ReframeRun]:
    """The sessions with values, the oldest first."""
    query = "SELECT uuid, json_blob FROM sessions ORDER BY session_start_unix"
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            stored = [(uuid, json.loads(text)) for uuid, text in connection.execute(query)]
    except (sqlite3.Error, ValueError) as error:
        hint = "name the file of storage/sqlite_db_file in ReFrame's settings"
        raise InputError(f"is not a results database of ReFrame: {error}", file=file, hint=hint) from None
    for uuid, report in stored:
        session = _session(str(uuid), report)
        if session.rows or session.other_units:
            yield session


def _session(uuid: str, report: Mapping[str, Any]) -> ReframeRun:
    rows: list[Row] = []
    others: set[str] = set()
    for case in (case for run in report.get("runs", ()) for case in run.get("testcases", ())):
        for name, (value, *_, unit) in _values(case):
            rate = _rate(value, unit)
            if rate is None:
                others.add(unit or "no unit")
            else:
                rows.append(_row(case, name) | rate)
    return ReframeRun(uuid, tuple(rows), frozenset(others))


def _values(case: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Value, reference, limits and unit of each variable, also of a test that failed by its reference."""
    if case.get("job_completion_time_unix") is None:
        return
    for key, found in (case.get("perfvalues") or {}).items():
        if isinstance(found[0], int | float):
            yield key.split(":", 2)[-1], tuple(found[:5])


def _rate(value: float, unit: str | None) -> Row | None:
    """The column of a record that holds it."""
    if (unit or "").lower() in _OPERATIONS:
        return {"ops_s": float(value)}
    if found := _BYTES.fullmatch(unit or ""):
        prefix, binary = found.groups()
        base = 1024 if binary else 1000
        return {"bw_mib_s": value * base ** _POWERS.index(prefix.upper()) / _MIB}
    return None


def _row(case: Mapping[str, Any], name: str) -> Row:
    known = (case.get("cells") or {}).get(name)
    return {
        **(_of_weir(known) if isinstance(known, dict) and "cell" in known else _of_a_test(case, name)),
        "iteration": 0,
        "began": datetime.fromtimestamp(case["job_completion_time_unix"], UTC).isoformat(timespec="seconds"),
        **dict.fromkeys(("reasons", "evidence", "notes", "checked"), ""),
        "source": str(case.get("uuid") or ""),
    }


def _of_weir(known: Mapping[str, Any]) -> Row:
    verdict = known.get("verdict") or "UNPROVEN"
    missing = "" if verdict == "VALID" else _MISSING
    names = {name: known.get(name) for name in (*_OF_A_CELL, "access")}
    return {**names, "verdict": verdict, "missing": missing}


def _of_a_test(case: Mapping[str, Any], name: str) -> Row:
    """A test of somebody else: its name with all parameters, its system and environment tell it apart."""
    label, system = str(case.get("display_name") or case.get("name")), str(case.get("system"))
    partition, environ = str(case.get("partition")), str(case.get("environ"))
    identity = json.dumps([system, partition, environ, label, name])
    return {
        "cell": hashlib.sha256(identity.encode()).hexdigest()[:12],
        "label": f"{partition} {label}",
        "access": name,
        "api": "ReFrame",
        "site": system,
        "target": partition,
        "stack": environ,
        "tool": label.split(" ", 1)[0],
        "verdict": "UNPROVEN",
        "missing": _MISSING,
    }


_SHAPE = {"bounds": [{"cell": str, "access": str, "median": NUMBER, "low": NUMBER}]}
Bound = dict[str, float | str | int]
Access = tuple[str, str]  # cell and access


def read_bounds(file: Path) -> list[Bound]:
    """The bounds in the file, each with a cell, its access, the median and the low end."""
    content = read_shaped(file, _SHAPE, "write it again: weir history reference HISTORY --out FILE")
    bounds: list[Bound] = content["bounds"]
    return bounds


def limits_of(bounds: list[Bound]) -> dict[Access, tuple[float, float]]:
    """The median of a cell, and the share of it that noise may take away; none of a median of 0."""
    found = {}
    for one in bounds:
        median, low = float(one["median"]), float(one["low"])
        if median > 0:
            found[str(one["cell"]), str(one["access"])] = median, min(low / median - 1, 0.0)
    return found
