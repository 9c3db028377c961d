"""From arguments to a printed comparison and an exit code."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from weir.columns import columns, columns_of_role
from weir.compare import confirmation, figure, output, sides
from weir.compare.confirmation import Confirmation, Settings, confirm, still_failing
from weir.compare.pairs import IDENTITY, METRICS, Pairing, pair_cells
from weir.compare.verdict import SLOWER, UNDECIDED, Judged, judge_pairs
from weir.errors import WeirError, did_you_mean
from weir.records.table import write_whole

_FAIL_ON = re.compile(r"(slower)(?::(\d+(?:\.\d+)?)%?)?|(undecided)")


class FailOn(NamedTuple):
    """What makes the exit code 1."""

    slower: bool = False
    limit: float = 0.0
    undecided: bool = False


def compare(args: argparse.Namespace) -> int:
    fail_on = read_fail_on(args.fail_on)
    both, across = _sides(args)
    metric, margin = METRICS[args.metric], args.margin / 100
    pairing = pair_cells(both, columns_of_role("parameter"), metric, across)
    if not pairing.pairs:
        raise WeirError(
            "no cell of A has a like cell in B",
            hint="\n    ".join(output.unmatched_lines(pairing.unmatched)) or None,
        )
    settings = Settings(metric, margin, fail_on.limit, args.day_to_day / 100, args.confirm_rounds)
    judged = judge_pairs(pairing.pairs, metric, margin, settings.limit, settings.day_to_day)
    failed = failures(judged, fail_on)
    confirmed = None
    if args.confirm:
        confirmed = confirm(both, judged, settings)
        fresh = [one.fresh for one in confirmed.pairs if one.fresh]
        failed = still_failing(failed, failures(fresh, fail_on), confirmed)
    first, second = args.names
    names = (both[0].name, both[1].name) if second is None else (first, second)
    _write_files(args, names, judged, failed, confirmed)
    if args.json:
        print(_json(names, judged, pairing, confirmed))
    else:
        print(_text(names, judged, pairing, args, failed, confirmed))
    return 1 if failed else 0


def _write_files(
    args: argparse.Namespace,
    names: tuple[str, str],
    judged: Sequence[Judged],
    failed: Sequence[Judged],
    confirmed: Confirmation | None,
) -> None:
    lines = confirmation.as_text(confirmed) if confirmed else []
    drawn = (names, judged, args.margin / 100, METRICS[args.metric], lines)
    if args.html:
        write_whole(args.html, figure.page(*drawn))
    if args.into:
        figure.write_into(args.into, figure.fragment(*drawn))
    if args.csv:
        write_whole(args.csv, output.as_csv(judged))
    if args.junit:
        write_whole(args.junit, output.as_junit(names, judged, failed))


def _text(
    names: tuple[str, str],
    judged: Sequence[Judged],
    pairing: Pairing,
    args: argparse.Namespace,
    failed: Sequence[Judged],
    confirmed: Confirmation | None,
) -> str:
    lines = [output.as_text(names, judged, pairing.unmatched, args.margin / 100, METRICS[args.metric])]
    lines += confirmation.as_text(confirmed) if confirmed else []
    if failed:
        lines.append(f"failed: {len(failed)} pairs by --fail-on {' '.join(args.fail_on)}")
    return "\n".join(lines)


def _json(
    names: tuple[str, str], judged: Sequence[Judged], pairing: Pairing, confirmed: Confirmation | None
) -> str:
    return json.dumps(
        {
            "a": names[0],
            "b": names[1],
            "pairs": [output.facts(one) for one in output.sorted_for_reading(judged)],
            "unmatched": [one._asdict() for one in pairing.unmatched],
        }
        | ({"confirmation": confirmation.facts(confirmed)} if confirmed else {}),
        indent=1,
    )


def _sides(args: argparse.Namespace) -> tuple[tuple[sides.Side, sides.Side], list[str]]:
    """Both sides, and the columns in which a pair may differ."""
    known = [*IDENTITY, *columns_of_role("parameter")]
    for name in args.across:
        if name not in known:
            hint = did_you_mean(name, known)
            raise WeirError(
                "is not a column that pairs are made by", key="--across", value=name, hint=hint, exit_code=2
            )
    if (args.by is None) == (args.second is None):
        raise WeirError(
            "a comparison needs B, or --by to split A",
            hint="weir compare A B, or weir compare A --by stack",
            exit_code=2,
        )
    if args.second is not None:
        first, second = (
            sides.read_side(text, bundle)
            for text, bundle in zip((args.first, args.second), args.bundles, strict=True)
        )
        return (first, second), args.across
    file = sides.records_file(Path(args.first))
    return sides.split_by(file, args.by, args.values, list(columns()), args.bundles[0]), [
        *args.across,
        args.by,
    ]


def read_fail_on(texts: Sequence[str]) -> FailOn:
    found = FailOn()
    for text in texts:
        match = _FAIL_ON.fullmatch(text)
        if match is None:
            raise WeirError(
                "is not something to fail on",
                key="--fail-on",
                value=text,
                hint="write slower, slower:5% or undecided",
                exit_code=2,
            )
        if match[1]:
            found = found._replace(slower=True, limit=float(match[2] or 0) / 100)
        else:
            found = found._replace(undecided=True)
    return found


def failures(judged: Sequence[Judged], fail_on: FailOn) -> list[Judged]:
    """Surely slower by more than the limit, or undecided where that was requested."""
    return [
        one
        for one in judged
        if (fail_on.slower and one.surely_slower and (fail_on.limit > 0 or one.verdict == SLOWER))
        or (fail_on.undecided and one.verdict == UNDECIDED)
    ]
