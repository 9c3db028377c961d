"""The actions of weir history: add, show, check."""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from math import exp
from pathlib import Path

import numpy as np

from weir.base.errors import InputError, WeirError
from weir.base.files import as_json
from weir.base.units import counted, listed
from weir.collect.metrics import metric_named
from weir.collect.table import write_whole
from weir.decide.compare.sides import campaigns
from weir.decide.history import RECENT_POINTS, figure, output
from weir.decide.history.band import band_of, judge_newest
from weir.decide.history.reframe_results import Bound, is_database
from weir.decide.history.regimes import FEWEST_POINTS, regimes_of
from weir.decide.history.series import Series, from_campaigns, from_table, of_cells, stopped
from weir.decide.history.store import add_campaign, add_sessions, conditions_of, notes_of
from weir.records.model import Row
from weir.report import drawing

_MOST_NAMES = 12


def act(args: argparse.Namespace) -> int:
    if args.action == "add":
        print(_add(args.history, args.study))
        return 0
    if args.action == "reference":
        return _reference(args)
    series = _series(args)
    return _show(args, series) if args.action == "show" else _check(args, series)


def _add(history: Path, study: Path) -> str:
    if not is_database(study):
        return f"added {add_campaign(history, study)}"
    added = add_sessions(history, study)
    text = f"added {counted(len(added.folders), 'session')} of ReFrame, {added.known} were there"
    return text + (f"; no rates: {', '.join(sorted(added.other_units))}" if added.other_units else "")


def _columns_of(table: Path) -> str:
    with table.open(encoding="utf-8", errors="replace") as stream:
        names = stream.readline().strip().split(",")
    return f"; it has {listed(names, _MOST_NAMES)}" if len(names) > 1 else ""


def _series(args: argparse.Namespace) -> list[Series]:
    if args.history.is_file():
        if not args.history.stat().st_size:
            raise InputError("is empty", file=args.history, hint="give a CSV file with a header")
        if not args.key:
            raise InputError(
                "a CSV file needs the columns that name a series",
                file=args.history,
                hint="such as --key target --key access" + _columns_of(args.history),
            )
        return from_table(args.history, args.key, args.time, args.value, args.metric, args.unit)
    every = of_cells(campaigns(args.history), metric_named(args.metric))
    if not every:
        hint = "its records are DEGRADED or INVALID, or have no such value: weir audit tells why"
        raise WeirError("has no series", file=args.history, key=args.metric, hint=hint, exit_code=3)
    return every


def _show(args: argparse.Namespace, every: list[Series]) -> int:
    judged = [(series, judge_newest(series, RECENT_POINTS)) for series in every]
    if args.html:
        write_whole(args.html, drawing.page("History", [figure.overview(judged)]))
    if args.json:
        found = [
            {
                "series": series.name,
                "emulated": series.emulated,
                "changes": [vars(change) for change in one.changes],
            }
            for series, one in judged
        ]
        print(as_json(found))
    else:
        known = (one for each in conditions_of(args.history).values() for one in each)
        print("\n".join([output.show_text(judged, args.all), *output.condition_lines(known, args.all)]))
    return 0


def _check(args: argparse.Namespace, every: list[Series]) -> int:
    found = [judge_newest(series, args.recent) for series in every]
    if args.junit:
        write_whole(args.junit, output.as_junit(found))
    known = conditions_of(args.history)
    notes = [notes_of(one, known) for one in found]
    if args.json:
        names = {one.name for one, _ in stopped(every)}
        facts = [
            asdict(one) | {"conditions": each, "stopped": one.series in names}
            for one, each in zip(found, notes, strict=True)
        ]
        print(as_json(facts))
    else:
        lines = dict.fromkeys(f"note: {text}" for each in notes for text in each)
        print("\n".join([output.as_text(found, args.all), *lines, *output.stopped_lines(every)]))
    return 1 if any(one.is_finding for one in found) else 0


def _reference(args: argparse.Namespace) -> int:
    """Bounds for the next value of each cell, for WEIR_REFERENCE of the ReFrame tests."""
    bounds = reference_bounds(campaigns(args.history))
    text = as_json({"bounds": bounds}) + "\n"
    if args.out:
        write_whole(args.out, text)
        print(f"{args.out}: bounds of {len(bounds)} series")
    else:
        print(text, end="")
    return 0


def reference_bounds(campaigns: Iterable[Sequence[Row]]) -> list[Bound]:
    """Bounds of the cells with ten campaigns at their present level; other cells have none."""
    bounds: list[Bound] = []
    every = from_campaigns(campaigns, metric_named("rate"), lambda row: f"{row['cell']} {row['access']}")
    for series in every:
        if len(series) < FEWEST_POINTS:
            continue
        start = regimes_of(series)[-1].start
        # The band of the next point, which includes the newest one.
        later = np.append(series.times, series.times[-1] + 1)
        band = band_of(type(series)(series.name, later, np.append(series.logs, series.logs[-1])), start)
        if band is not None:
            cell, access = series.cells[-1]
            level = exp(float(np.median(series.logs[start:])))
            bounds.append(
                {"cell": cell, "access": access, "median": level, "low": band.low, "campaigns": band.points}
            )
    return bounds
