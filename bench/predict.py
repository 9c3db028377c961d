#!/usr/bin/env python3
"""The frequency with which the range of weir predict --probe holds the time of applications that no cell was
made for.

    bench/predict.py        a study, then 10 applications on disk and in memory
    bench/predict.py --site storage-lab --each 5 glusterfs moosefs      in a shell of the lab

Each application has a write and a read phase. A generator with a seed draws transfers from 32 KiB to 16 MiB
that no cell has, bytes, layout, interface, collective calls, random order, and one or two processes; what
the records have no cell for is drawn again, and counted. Their cells are measured beside the prediction,
three rounds. The lines of the targets in bench/results/predict.csv have predicted and measured seconds, by
records alone and by the probe. Not drawn, because an application cannot have it: phases that do not reach
the storage, and metadata.
"""

import argparse
import contextlib
import csv
import io
import json
import math
import os
import random
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from weir.base.units import format_size
from weir.cli import main as weir
from weir.decide.predict.forecast import WIDEST

SMALLEST, LARGEST, PAGE = 2**15, 2**24, 4096  # bytes of a transfer, a multiple of a page
LEAST_BYTES, MOST_BYTES = 24 * 2**20, 128 * 2**20  # bytes of one process
ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 5  # rounds of each cell of the study
STUDY: dict[str, dict[str, Any]] = {
    "transfers": {"xfer": ["16 KiB", "256 KiB", "1 MiB", "16 MiB"], "order": ["sequential", "random"]},
    "processes": {"ppn": [1, 2], "layout": ["shared", "file-per-process"], "xfer": ["2 MiB"]},
    "calls": {"api": ["MPIIO"], "collective": [False, True], "xfer": ["256 KiB", "4 MiB"]},
}
TARGETS, OF_EACH = ("disk", "memory"), 10
RESULTS = Path(__file__).resolve().parent / "results" / "predict.csv"
SEED = 5  # 1 to 4 were seen while the range was made
HEAD = (
    *("target", "application", "phase", "by", "predicted_s", "low_s", "high_s"),
    *("measured_s", "within", "load"),
)
BY = {"--as-measured": "records", "--probe": "records and probe"}


def application(source: random.Random, number: int) -> tuple[str, str]:
    """A name, and the text of its file."""
    api, ppn = source.choice(("POSIX", "MPIIO")), source.choice((1, 2))
    xfer = PAGE * round(math.exp(source.uniform(math.log(SMALLEST), math.log(LARGEST))) / PAGE)
    size = xfer * max(1, source.randint(LEAST_BYTES, MOST_BYTES) // xfer)
    layout = "shared" if api == "MPIIO" else source.choice(("shared", "file-per-process"))
    order = "random" if api == "POSIX" and layout == "shared" and source.random() < 0.4 else "sequential"
    collective = api == "MPIIO" and source.random() < 0.5
    same = (
        f"api: {api}, layout: {layout}, order: {order}, collective: {str(collective).lower()}, "
        f"xfer: {xfer} B, bytes: {size} B"
    )
    lines = [f"application: made-{number}", "nodes: 1", f"ppn: {ppn}", "phases:"]
    phases = [f"- {{phase: {name}, access: {name}, {same}}}" for name in ("write", "read")]
    pattern = f"{api} {layout} {order}{' collective' * collective}"
    return f"{pattern} {ppn} x {format_size(size)} by {xfer // 1024} KiB", "\n".join([*lines, *phases]) + "\n"


def measured_study(folder: Path, site: str, on: Sequence[str]) -> Path:
    """Measures a study: cells around what is drawn, none of which is drawn. Returns its records."""
    same = {"block": "64 MiB", "access": ["write", "read"], "drop_caches": True, "xfer": "2 MiB"}
    free = {"api": ["POSIX"], "layout": ["shared"]}
    experiments = {
        name: {
            "tool": "ior",
            "nodes": [1],
            "ppn": each.get("ppn", [2]),
            "space": free | {key: values for key, values in each.items() if key != "ppn"},
            "fixed": {key: value for key, value in same.items() if key not in each},
            "repetitions": {"rounds": ROUNDS},
        }
        for name, each in STUDY.items()
    }
    text = {"suite": "predict-bench", "question": "How fast are the cells?", "experiments": experiments}
    (folder / "config/suites").mkdir(parents=True)
    (folder / "config/suites/predict-bench.yaml").write_text(yaml.safe_dump(text, sort_keys=False))
    study = folder / "results/predict-bench"
    plan, results = ("--plan", str(study / "plan.json")), ("--results", str(study.parent))
    targets = [word for target in on for word in ("--target", target)]
    chosen = ("--site", site, "--suite", "predict-bench", "--scale", "full", *targets)
    for arguments in (
        ("plan", *chosen, "--config-dir", str(folder / "config"), "--out", plan[1]),
        ("run", *plan, *results),
        ("collect", *plan, *results, "--out", str(study / "records.csv")),
    ):
        study.mkdir(parents=True, exist_ok=True)
        if weir(list(arguments)) != 0:
            raise SystemExit(f"weir {arguments[0]} of the study failed")
    return study / "records.csv"


def predicted(file: Path, records: Path, target: str, *more: str) -> list[dict[str, Any]]:
    """The prediction of each phase, without numbers where no cell is like it; a range that is too wide is
    printed, too."""
    arguments = ["predict", str(file), "--records", str(records), "--json", "--target", target, *more]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code = weir(arguments)
    if not printed.getvalue():
        raise SystemExit(f"weir predict of {file.name} on {target} failed with {code}")
    return json.loads(printed.getvalue())[target]


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


def of_target(records: Path, target: str, count: int, site: str, seed: int) -> list[tuple[Any, ...]]:
    source, number = random.Random(f"{seed} {target}"), 0
    found: list[tuple[Any, ...]] = []
    names: set[str] = set()
    without: list[str] = []
    with tempfile.TemporaryDirectory(dir=records.parent) as folder:
        while len(names) < count:
            number += 1
            file = Path(folder) / f"made-{number}.yaml"
            name, text = application(source, number)
            if name in names:
                continue
            file.write_text(text)
            lines = list(lines_of(file, name, records, target, site))
            if not lines:
                without.append(name)
                if len(without) > 3 * count:
                    raise SystemExit(f"{target}: the records have no cell for {', '.join(without)}")
            for line in lines:
                found.append(line)
                names.add(name)
                print(" | ".join(map(str, line)), flush=True)
    print(f"{target}: {len(without)} applications had no cell: {'; '.join(without) or '-'}")
    with RESULTS.open(newline="") as before:
        others = [one for one in list(csv.reader(before))[1:] if one[0] != target]
    with RESULTS.open("w", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([HEAD, *others, *found])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("targets", nargs="*", default=TARGETS, metavar="TARGET")
    parser.add_argument("--site", default="local")
    parser.add_argument("--each", type=int, default=OF_EACH, help="applications on each target")
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    began = time.monotonic()
    folder = ROOT / "build/predict-bench"
    shutil.rmtree(folder, ignore_errors=True)
    records = measured_study(folder, given.site, given.targets)
    print(f"study: {time.monotonic() - began:.0f} s", flush=True)
    each = (of_target(records, target, given.each, given.site, given.seed) for target in given.targets)
    tell([line for lines in each for line in lines])
    print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
