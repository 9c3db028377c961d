#!/usr/bin/env python3
"""How often the range of weir predict --probe holds the time of applications that no cell was made for.

    bench/predict.py RECORDS TARGET [COUNT] [SITE]

RECORDS are of the suite nersc-ior, such as results/local/nersc-ior/records.csv. Each of COUNT applications
(default: 20) has a write and a read phase with drawn transfers, layout and interface; those that predict
refuses are drawn again. Their cells are measured beside the prediction, three rounds. The lines of this
target in bench/results/predict.csv have predicted and measured seconds, by records alone and by the probe.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from weir.cli import main as weir
from weir.predict.forecast import WIDEST

TRANSFERS = ("64 KiB", "256 KiB", "1 MiB", "4 MiB", "10 MiB", "16 MiB")
SIZES = ("32 MiB", "64 MiB", "128 MiB")
APIS, LAYOUTS = ("POSIX", "MPIIO"), ("shared", "file-per-process")
RESULTS = Path(__file__).resolve().parent / "results" / "predict.csv"
SEED = 3
HEAD = (
    *("target", "application", "phase", "by", "predicted_s", "low_s", "high_s"),
    *("measured_s", "within", "load"),
)
BY = {"--as-measured": "records", "--probe": "records and probe"}


def application(source: random.Random, number: int) -> tuple[str, str]:
    """A name, and the text of its file."""
    api, layout, xfer, size = (source.choice(one) for one in (APIS, LAYOUTS, TRANSFERS, SIZES))
    same = f"api: {api}, layout: {layout}, xfer: {xfer}, bytes: {size}"
    lines = [f"application: made-{number}", "nodes: 1", "ppn: 2", "phases:"]
    phases = [f"- {{phase: {name}, access: {name}, {same}}}" for name in ("write", "read")]
    return f"{api} {layout} {xfer} of {size}", "\n".join([*lines, *phases]) + "\n"


def predicted(file: Path, records: Path, target: str, *more: str) -> list[dict[str, Any]]:
    """Empty where nothing is predicted; with a range that is too wide it ends with 3."""
    arguments = ["predict", str(file), "--records", str(records), "--json", "--target", target, *more]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code = weir(arguments)
    return json.loads(printed.getvalue())[target] if code in (0, 3) and printed.getvalue() else []


def lines_of(file: Path, name: str, records: Path, target: str, site: str) -> Iterator[tuple[Any, ...]]:
    results = file.with_suffix(".runs")
    measure = ("--measure", "--rounds", "3", "--site", site, "--results", str(results))
    # The probe before the application, as its user would; both are compared with the same measurement.
    both = {by: predicted(file, records, target, option) for option, by in reversed(BY.items())}
    if not all(one["predicted"] for one in both["records"]):
        return
    truth = predicted(file, records, target, "--as-measured", *measure)
    load = round(os.getloadavg()[0], 1)
    for by, phases in both.items():
        for one, true in zip(phases, truth, strict=False):
            if true["tested"] and one["predicted"]:
                seconds, times = true["tested"]["median_s"], one["predicted"]
                ends = times["low_s"], times["high_s"]
                within = "yes" if ends[0] <= seconds <= ends[1] else "no"
                shown = (f"{value:.4g}" for value in (times["median_s"], *ends, seconds))
                yield target, name, one["phase"], by, *shown, within, load


def tell(found: Sequence[tuple[Any, ...]]) -> None:
    for by in BY.values():
        each = [one for one in found if one[3] == by]
        if each:
            widths = [float(one[6]) / float(one[5]) for one in each]
            errors = [abs(float(one[4]) / float(one[7]) - 1) for one in each]
            held: dict[str, bool] = {}
            for one in each:
                held[one[1]] = held.get(one[1], True) and one[8] == "yes"
            print(
                f"{by}: {len(each)} phases, {sum(one[8] == 'yes' for one in each)} within the range; "
                f"{sum(held.values())} of {len(held)} applications in both phases; "
                f"median error {median(errors):.0%}, median of high over low {median(widths):.1f}; "
                f"{sum(width > WIDEST for width in widths)} phases refused as too wide"
            )


def main() -> None:
    records, target = Path(sys.argv[1]).resolve(), sys.argv[2]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    site = sys.argv[4] if len(sys.argv) > 4 else "local"
    source = random.Random(f"{SEED} {target}")
    found: list[tuple[Any, ...]] = []
    names: set[str] = set()
    with tempfile.TemporaryDirectory(dir=records.parent) as folder:
        number = 0
        while len(names) < count:
            number += 1
            file = Path(folder) / f"made-{number}.yaml"
            name, text = application(source, number)
            if name in names:
                continue
            file.write_text(text)
            for line in lines_of(file, name, records, target, site):
                found.append(line)
                names.add(name)
                print(" | ".join(map(str, line)), flush=True)
    with RESULTS.open(newline="") as before:
        others = [one for one in list(csv.reader(before))[1:] if one[0] != target]
    with RESULTS.open("w", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([HEAD, *others, *found])
    tell(found)


if __name__ == "__main__":
    main()
