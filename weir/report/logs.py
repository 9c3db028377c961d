"""The page of third-party logs: what each can prove and what not, and how to log the next time."""

import itertools
import statistics
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import weir
from weir.audit.evidence import EVIDENCE
from weir.audit.explain import example_text, lacking, next_time, triggered
from weir.audit.judge import USABLE, VERDICTS, names_in
from weir.base.units import three_digits
from weir.collect.metrics import metric_named
from weir.records.model import Row, grouped
from weir.report.answers import Counts, answers, page_of
from weir.report.points import Points

_MOST_LOGS = 200
_MOST_DOUBTS = 12
_NOT_SYNCHRONISED = "not synchronised, and so not compared with those that are"
_SINGLE = "single operations, not compared with transfers"


def logs_page(
    rows: Sequence[Row], facts: Mapping[str, Any], records: Path, unread: Sequence[str]
) -> dict[str, Any]:
    """Facts of the page; facts: facts.json of the import; unread: a line for each kind of unread file."""
    points, counts = Points(of_all=True), Counts(of_logs=True)
    points.add(rows)
    counts.add("all", rows)
    of_log = grouped((str(row["source"]), row) for row in rows)
    below = _directory(of_log)
    compared = {(access, cell) for _, access, cell in points.of_storage()}
    usable = {name for name, some in of_log.items() if any(row["verdict"] in USABLE for row in some)}
    ordered = sorted(of_log, key=lambda name: (name not in usable, name))
    lacks = lacking(rows)
    page = page_of(facts, records.parent.resolve().name, counts, points)
    page["study"]["weir"] = weir.__version__
    page["points"] = [one | {"log": one["source"].removeprefix(below)} for one in page["points"]]
    return page | {
        "logs": {
            "records": records.name,
            "count": len(of_log),
            "below": below,
            "rows": [_log(name.removeprefix(below), of_log[name], compared) for name in ordered[:_MOST_LOGS]],
            "doubts": [_doubt(one) for one in triggered(rows)[:_MOST_DOUBTS]],
            "lacking": [_lack(one) for one in lacks],
            "commands": next_time(lacks),
            "unread": list(unread),
        }
    }


def _directory(names: Iterable[str]) -> str:
    """The common begin of the paths of all logs, to the last slash."""
    folders = [name.split("/")[:-1] for name in names]
    shared = itertools.takewhile(lambda some: len(set(some)) == 1, zip(*folders, strict=False))
    return "".join(f"{some[0]}/" for some in shared)


def _log(name: str, rows: Sequence[Row], compared: Container[tuple[str, str]]) -> dict[str, Any]:
    verdicts = Counter(row["verdict"] for row in rows)
    programs = dict.fromkeys(" ".join(filter(None, (row["program"], row["tool_version"]))) for row in rows)
    missing = {one for row in rows for one in names_in(row.get("missing"))}
    return {
        "log": name,
        "program": ", ".join(filter(None, programs)),
        "results": len(rows),
        **{verdict: verdicts[verdict] for verdict in VERDICTS},
        "shown": [one for one in _shown(rows) if one not in missing],
        "missing": sorted(missing),
        "findings": sorted({one for row in rows for one in names_in(row.get("reasons"))}),
        "best": "; ".join(_best(rows, compared)),
    }


def _shown(rows: Iterable[Row]) -> list[str]:
    """Evidence that a passed rule gives."""
    checked = {one for row in rows for one in names_in(row.get("checked"))}
    return [name for name, one in EVIDENCE.items() if checked.intersection(one.rules)]


def _best(rows: Sequence[Row], compared: Container[tuple[str, str]]) -> Iterator[str]:
    """The best median of each access, as in the answers of the page; of items, operations in a second.

    compared: accesses and cells of which the answers choose; that of one log may not be among them."""
    points = Points()
    points.add(rows)
    counts = Counter((row["access"], row["cell"]) for row in rows if row["verdict"] in USABLE)
    for one in answers(points):
        best, access = one["best"], one["access"]
        text = _median_text(access, best["value"], "MiB/s", counts[access, best["cell"]])
        plain = any(row["cell"] == best["cell"] and row["sync"] is False for row in rows)
        why = _NOT_SYNCHRONISED if plain else _SINGLE
        yield text if (access, best["cell"]) in compared else f"{text}, {why}"
    rates: dict[str, dict[Any, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        value = metric_named("rate").of(row)
        in_bytes = row.get("item") is None and metric_named("bandwidth").of(row) is not None
        if value is not None and not in_bytes and row["verdict"] in USABLE:
            rates[" ".join(filter(None, (row["access"], row.get("item"))))][row["cell"]].append(value)
    for name, of_cell in rates.items():
        values = max(of_cell.values(), key=statistics.median)
        yield _median_text(name, statistics.median(values), "op/s", len(values))


def _median_text(name: str, value: float, unit: str, count: int) -> str:
    return f"{name} {three_digits(value)} {unit}" + (f" (median of {count} results)" if count > 1 else "")


def _doubt(entry: Mapping[str, Any]) -> dict[str, Any]:
    examples = [example_text(one) for one in entry["examples"]]
    kept = {name: entry[name] for name in ("rule", "records", "explanation", "hint")}
    return kept | {"verdicts": dict(entry["verdicts"]), "examples": examples}


def _lack(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: entry.get(name, "") for name in ("evidence", "records", "meaning", "of_log", "facts", "log")
    }
