"""Runs weir compare: reads its arguments, prints the comparison and returns an exit code."""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log1p
from pathlib import Path
from typing import Any

from weir.base.errors import InputError, WeirError, require_known
from weir.base.files import as_json
from weir.base.units import counted, few
from weir.collect.metrics import Metric, metric_named
from weir.collect.table import write_whole
from weir.decide.compare import confirmation, figure, output, sides
from weir.decide.compare.confirmation import Confirmation, Settings, confirm, still_failing
from weir.decide.compare.estimate import Days, spreads_of
from weir.decide.compare.pairs import IDENTITY, Pairing, Unmatched, pair_cells, unlike_conditions
from weir.decide.compare.verdict import (
    CANNOT_DECIDE,
    Failed,
    JudgedPair,
    failures,
    judge_pairs,
    read_fail_on,
    worse_evidence,
)
from weir.records.columns import columns, columns_of_role
from weir.report import drawing

_MOST_REASONS = 10


@dataclass(frozen=True)
class _Comparison:
    """The answer, of which each output shows some."""

    names: tuple[str, str]
    judged: Sequence[JudgedPair]
    unmatched: Sequence[Unmatched]
    settings: Settings
    failed: Failed
    confirmed: Confirmation | None

    @property
    def confirmation(self) -> list[str]:
        return confirmation.as_text(self.confirmed) if self.confirmed else []


def compare(args: argparse.Namespace) -> int:
    fail_on = read_fail_on(args.fail_on)
    both, across = _sides(args)
    metric, margin = metric_named(args.metric), args.margin / 100
    if metric.higher_is_better and fail_on.limit >= 1:
        hint = "a rate that halves is slower by 50 %: slower:50%"
        raise InputError(f"no {metric.name} is slower by 100 % or more", key="--fail-on", hint=hint)
    pairing = pair_cells(both, columns_of_role("parameter"), metric, across)
    if not pairing.pairs:
        raise WeirError(
            "no cell of A has a like cell in B",
            hint="\n    ".join(output.unmatched_lines(pairing.unmatched)) or None,
            exit_code=CANNOT_DECIDE,
        )
    settings = Settings(metric, margin, fail_on.limit, _days(args, pairing, metric), args.confirm_rounds)
    judged = judge_pairs(pairing.pairs, metric, margin, settings.limit, settings.days)
    slow = failures(judged, fail_on)
    confirmed = None
    if args.confirm:
        confirmed = confirm(both, judged, settings)
        fresh = [one.fresh for one in confirmed.pairs if one.fresh]
        slow = still_failing(slow, failures(fresh, fail_on), confirmed)
    settled = [one.before for one in confirmed.pairs if one.settles_days] if confirmed else []
    open_pairs = [one for one in judged if one not in settled]
    worse = worse_evidence(open_pairs, pairing.unmatched, both[0].name, fail_on)
    failed = Failed(tuple(slow), tuple(worse))
    first, second = args.names
    names = (both[0].name, both[1].name) if second is None else (first, second)
    found = _Comparison(names, judged, pairing.unmatched, settings, failed, confirmed)
    _write_files(args, found)
    unlike = unlike_conditions(both, pairing.pairs, across)
    if args.json:
        more = {"edited": [_edited(one) for one in both], "conditions": unlike}
        print(as_json(_facts(found, more)))
    else:
        print("\n".join([*_text(args, found), *unlike, *_unchecked(both)]))
    return failed.exit_code


def _days(args: argparse.Namespace, pairing: Pairing, metric: Metric) -> Days:
    """The spread from campaign to campaign as far as it is known: by the option, else by the history."""
    if args.day_to_day is not None:
        return Days(given=log1p(args.day_to_day / 100))
    if args.history is None:
        return Days()
    return Days(spreads=spreads_of(pairing.pairs, list(sides.campaigns(args.history)), metric))


def _unchecked(both: Sequence[sides.Side]) -> Iterator[str]:
    """Notes about rounds that cannot be checked, once for the sides that lack the same, and about tables that
    are not as they were collected."""
    lacking: dict[str, list[str]] = defaultdict(list)
    for name, side in zip(("A", "B"), both, strict=True):
        lacks = dict.fromkeys(text for one in side.campaigns if one.rounds for text in one.rounds.lacks)
        if lacks:
            lacking["; ".join(lacks)].append(name)
    for text, names in lacking.items():
        yield f"note: dropped rounds of {' and '.join(names)} are not known: {text}"
    for name, side in zip(("A", "B"), both, strict=True):
        if edited := ", ".join(_edited(side)):
            yield f"note: {name} was edited after it was collected: {edited}"


def _edited(side: sides.Side) -> list[str]:
    return [one.name for one in side.campaigns if one.edited]


def _write_files(args: argparse.Namespace, found: _Comparison) -> None:
    settings = found.settings
    drawn = (found.names, found.judged, settings.margin, settings.metric, found.confirmation)
    if args.html:
        write_whole(args.html, drawing.page("Comparison", [figure.fragment(*drawn)]))
    if args.into:
        figure.write_into(args.into, figure.fragment(*drawn))
    if args.csv:
        write_whole(args.csv, output.as_csv(found.judged))
    if args.junit:
        failed = found.failed
        write_whole(args.junit, output.as_junit(found.names, found.judged, failed.pairs, failed.evidence))


def _text(args: argparse.Namespace, found: _Comparison) -> Iterator[str]:
    settings, failed = found.settings, found.failed
    shown = (found.unmatched, settings.margin, settings.metric, args.all)
    yield output.as_text(found.names, found.judged, *shown)
    yield from found.confirmation
    if failed.pairs:
        yield f"failed: {counted(len(failed.pairs), 'pair')} by --fail-on {' '.join(args.fail_on)}"
    if failed.evidence:
        yield "B cannot be judged as A can:"
        yield from few([f"  {text}" for text in failed.evidence], _MOST_REASONS, "  and {} more")


def _facts(found: _Comparison, more: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "a": found.names[0],
        "b": found.names[1],
        "pairs": [output.facts(one) for one in output.sorted_for_reading(found.judged)],
        "unmatched": [one._asdict() for one in found.unmatched],
        "worse_evidence": list(found.failed.evidence),
        **more,
        **({"confirmation": confirmation.facts(found.confirmed)} if found.confirmed else {}),
    }


def _sides(args: argparse.Namespace) -> tuple[tuple[sides.Side, sides.Side], list[str]]:
    """Both sides, and the columns in which a pair may differ."""
    known = [*IDENTITY, *columns_of_role("parameter")]
    require_known(args.across, known, "is not a column that pairs are made by", key="--across")
    if (args.by is None) == (args.second is None):
        raise InputError(
            "a comparison needs B, or --by to split A", hint="weir compare A B, or weir compare A --by stack"
        )
    if args.second is not None:
        first, second = (
            sides.read_side(text, bundle)
            for text, bundle in zip((args.first, args.second), args.bundles, strict=True)
        )
        return (first, second), args.across
    file = sides.records_file(Path(args.first))
    split = sides.split_by(file, args.by, args.values, list(columns()), args.bundles[0])
    return split, [*args.across, args.by]
