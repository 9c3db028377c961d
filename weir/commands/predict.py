"""weir predict: the I/O time of an application from measured cells, beside its measured time."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from weir.config.sources import find_sources
from weir.errors import WeirError
from weir.predict.application import Application, read_application
from weir.predict.forecast import Forecast, Times, error, forecasts, whole
from weir.records.table import read_records

NAME = "predict"
HELP = "predict the I/O time of an application on each target, from the records of a study"
EXAMPLE = "weir predict netcdf-climate --records results/local/nersc-ior/records.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "application", metavar="APPLICATION", help="a file, or the name of one in config/applications"
    )
    parser.add_argument("--records", type=Path, required=True, metavar="FILE", help="records.csv of a study")
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="NAME",
        help="target to predict; repeatable (default: all)",
    )
    parser.add_argument("--json", action="store_true", help="print the same as JSON")


def execute(args: argparse.Namespace) -> int:
    sources = find_sources()
    application = read_application(sources.named_file("applications", args.application), sources.root)
    rows = read_records(args.records)
    targets = args.target or sorted({row["target"] for row in rows if row["target"]})
    found = {target: forecasts(application, rows, target) for target in targets}
    if not any(one.predicted for each in found.values() for one in each):
        raise WeirError(
            f"no record fits a phase of {application.name}",
            file=str(args.records),
            hint="measure the suite nersc-ior, or cells with its interface, layout and order",
        )
    if args.json:
        print(json.dumps({target: [_facts(one) for one in each] for target, each in found.items()}, indent=1))
    else:
        print("\n".join(_lines(application, found)))
    return 0


def _lines(application: Application, found: dict[str, list[Forecast]]) -> Iterator[str]:
    yield f"{application.name}: {application.description}"
    for target, each in found.items():
        yield ""
        yield f"{target}"
        yield f"  {'phase':<10}{'predicted':<28}{'measured':<28}error"
        for one in each:
            yield _line(one.phase.name, one.predicted, one.measured)
            yield from (f"    nearest cell: {far}" for far in one.far)
        yield _line("all", whole(each, "predicted"), whole(each, "measured"))
    yield ""
    yield "in brackets: minimum and maximum of the runs; range of the error: from both ranges"


def _line(name: str, predicted: Times | None, measured: Times | None) -> str:
    line = f"  {name:<10}{_words(predicted):<28}{_words(measured):<28}"
    if predicted is None or measured is None:
        return line.rstrip()
    value, low, high = error(predicted, measured)
    return f"{line}{value:+.0%} ({low:+.0%} to {high:+.0%})"


def _words(times: Times | None) -> str:
    return f"{times.median_s:.3g} s ({times.low_s:.3g}-{times.high_s:.3g})" if times else "unknown"


def _facts(one: Forecast) -> dict[str, Any]:
    return {
        "phase": one.phase.name,
        "predicted": vars(one.predicted) if one.predicted else None,
        "measured": vars(one.measured) if one.measured else None,
        "error": error(one.predicted, one.measured) if one.predicted and one.measured else None,
        "cell": one.cell,
        "label": one.label,
        "far": list(one.far),
    }
