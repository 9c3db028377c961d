"""The points of a page without R: for each cell and access the median of its runs, and each run.

There are no intervals here: those are computed by the analysis in R, from all rounds.
"""

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from weir.audit.judge import UNPROVEN, USABLE, VALID, VERDICTS, names_in
from weir.audit.registry import DEGRADED, INVALID
from weir.base.units import format_size
from weir.collect.metrics import metric_named
from weir.records.columns import columns
from weir.records.model import Row, grouped

MOST_POINTS = 4000  # points on a page, the same number as in report.html
MOST_VALUES = 40  # values of a point that are drawn
_FEWEST_OPERATIONS = 100  # a percentile of fewer is their maximum
_UNNAMED = "storage"
_KEPT = (
    *("api", "layout", "order", "xfer_bytes", "nn", "ppn", "sync", "direct", "purpose", "emulated"),
    *("tool", "program"),
)

Key = tuple[str, str, str]  # target, access, cell
Iteration = tuple[Any, Any, Any]


@dataclass(frozen=True)
class RecordValues:
    """The values of one record that a point needs."""

    run: Any
    verdict: str
    value: float | None  # MiB/s
    seconds: float | None
    ops_s: float | None
    p99_us: float | None


@dataclass
class Point:
    """One cell and access."""

    key: Key
    label: str
    about: Row
    source: str
    of_operations: bool = False  # their rate counts, not that of bytes
    entries: dict[Iteration, RecordValues] = field(default_factory=dict)
    doubts: dict[str, None] = field(default_factory=dict)
    seen: str = ""

    @property
    def plain_setting(self) -> str:
        """The terms that every transfer has: "POSIX, shared file, sequential, 1 MiB"."""
        names = [_text(name, self.about[name]) for name in ("api", "layout", "order")]
        return ", ".join(filter(None, (*names, size_text(self.about["xfer_bytes"]))))

    @property
    def used(self) -> list[RecordValues]:
        """Usable records; where there are none, the degraded ones."""
        rates = ((one, one.ops_s if self.of_operations else one.value) for one in self.entries.values())
        known = [one for one, rate in rates if rate is not None and one.verdict != INVALID]
        return [one for one in known if one.verdict in USABLE] or known

    @property
    def verdict(self) -> str:
        found = {one.verdict for one in self.used}
        return next((name for name in (DEGRADED, UNPROVEN, VALID) if name in found), INVALID)

    def values(self) -> list[float]:
        """The values of the runs: of each run the median of its iterations."""
        used = [] if self.of_operations else self.used
        runs = grouped((one.run, one.value or 0.0) for one in used)
        return [statistics.median(each) for each in runs.values()]

    def median_of(self, name: str) -> float | None:
        known = [getattr(one, name) for one in self.used if getattr(one, name) is not None]
        return statistics.median(known) if known else None

    def facts(self, setting: str = "") -> dict[str, Any]:
        """The facts of a point as report.html has them, without an interval."""
        target, access, cell = self.key
        values, counts = self.values(), Counter(one.verdict for one in self.entries.values())
        return {
            "cell": cell,
            "target": target,
            "emulated": bool(self.about["emulated"]),
            "access": access,
            "api": _text("api", self.about["api"]),
            "setting": setting or self.plain_setting,
            "size": size_text(self.about["xfer_bytes"]),
            "xfer": self.about["xfer_bytes"],
            "n": len({one.run for one in self.used}),
            "median": statistics.median(values) if values else None,
            "lo": None,
            "hi": None,
            "iops": self.median_of("ops_s"),
            "p99": self.median_of("p99_us"),
            "seconds": self.median_of("seconds"),
            "verdict": self.verdict,
            "bandwidth": True,
            "doubts": "; ".join(self.doubts),
            "seen": self.seen,
            "source": self.source,
            "command": "",
            "counts": [counts[verdict] for verdict in VERDICTS],
            "values": values[:MOST_VALUES],
            "latency": [],
        }


class Points:
    """The points of all records so far; a run that is added again replaces what it had. of_all: also
    operations on files and directories, and records of an unknown access, which have no bandwidth."""

    def __init__(self, of_all: bool = False) -> None:
        self.found: dict[Key, Point] = {}
        self._of_all = of_all

    def add(self, rows: Iterable[Row]) -> None:
        for row in rows:
            if self._of_all or not _is_of_operations(row):
                self._add(row)

    def _add(self, row: Row) -> None:
        access = " ".join(filter(None, (str(row["access"]), row.get("item"))))
        key = (str(row.get("target") or _directory(row)), access, str(row["cell"]))
        point = self.found.get(key)
        if point is None:
            about = {name: row.get(name) for name in _KEPT}
            point = self.found[key] = Point(
                key, str(row.get("label") or ""), about, str(row.get("source") or ""), _is_of_operations(row)
            )
        value = metric_named("bandwidth").of(row)
        enough = (row.get("ops") or 0) >= _FEWEST_OPERATIONS
        rates = row.get("ops_s"), row.get("lat_p99_us") if enough else None
        entry = RecordValues(row.get("run"), str(row["verdict"]), value, row.get("total_s"), *rates)
        of_log = row.get("source") if row.get("run") is None else None
        point.entries[row.get("run"), row.get("iteration"), of_log] = entry
        point.doubts |= dict.fromkeys(_doubts(row))
        point.seen = point.seen or str(row.get("evidence") or "")

    def facts(self) -> list[dict[str, Any]]:
        """Real storage first, then the fastest."""
        storage = self.of_storage()
        settings = self.settings()
        rows = [
            point.facts(settings[key]) | {"bandwidth": key in storage} for key, point in self.found.items()
        ]
        return sorted(rows, key=lambda one: (one["emulated"], -(one["median"] or 0.0)))

    def settings(self) -> dict[Key, str]:
        """The setting of each point, with the program where two of one tool measured; where settings do not
        tell two apart, what differs in their labels is added."""
        alike: dict[tuple[str, str, str], list[Point]] = {}
        differ = self._programs_differ()
        for (target, access, _), point in self.found.items():
            program = str(point.about["program"] or "") if differ else ""
            plain = ", ".join(filter(None, (point.plain_setting, program)))
            alike.setdefault((target, access, plain), []).append(point)
        found: dict[Key, str] = {}
        for (_, _, plain), some in alike.items():
            common = set.intersection(*(set(point.label.split()) for point in some))
            for point in some:
                own = " ".join(term for term in point.label.split() if term not in common)
                found[point.key] = f"{plain}, {own}" if own else plain
        return found

    def _programs_differ(self) -> bool:
        """Whether two programs of one tool measured; page_points.R has the same function."""
        about = (point.about for point in self.found.values())
        programs = {(one["tool"], one["program"]) for one in about if one["program"]}
        return len({tool for tool, _ in programs}) < len(programs)

    def of_storage(self) -> set[Key]:
        """The points that are a bandwidth of the storage, as of_storage() of analysis/R/page_points.R has
        them. The null interface moves no bytes, single operations beside transfers have a question of their
        own, and writes that nobody synchronised count only where none was."""
        about = {key: point.about for key, point in self.found.items() if not point.of_operations}
        plain = any(one["purpose"] != "latency" for one in about.values())
        synced = {key[0] for key, one in about.items() if key[1] == "write" and one["sync"] is True}
        return {
            key
            for key, one in about.items()
            if one["api"] != "NULL"
            and not (plain and one["purpose"] == "latency")
            and not (key[1] == "write" and one["sync"] is False and not one["direct"] and key[0] in synced)
        }


def _is_of_operations(row: Row) -> bool:
    return row["access"] not in ("write", "read") or row.get("item") is not None


def _text(column: str, value: object) -> str:
    """A value as readers see it."""
    return "" if value is None else str(columns()[column].texts.get(str(value), value))


def size_text(size_bytes: int | None) -> str:
    return format_size(size_bytes) if size_bytes else ""


def _directory(row: Mapping[str, Any]) -> str:
    """Logs do not name their storage: those of a directory are of one system."""
    parts = str(row.get("source") or "").split("/")
    return parts[-2] if len(parts) > 1 else _UNNAMED


def _doubts(row: Mapping[str, Any]) -> list[str]:
    missing = [f"no evidence: {name}" for name in names_in(row.get("missing"))]
    return names_in(row.get("reasons")) + missing
