"""make zoo-composed: stages composed cases and writes their rates to docs/zoo.md.

python -m tests.zoo.composed [--seed N] [--cases N] [--minutes N] [--only N,N] [--again]: goes on where it was
interrupted; --again begins anew, --only stages single cases and writes nothing. IOR=PATH is the real IOR."""

import argparse
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.zoo.__main__ import write_composed
from tests.zoo.composed.composer import ALARM, MISSED, Composer
from tests.zoo.composed.draw import draw
from tests.zoo.composed.tally import Line, cases_with, lines_of, read_lines, write_lines
from tests.zoo.composed.truth import FALSE, HONEST
from tests.zoo.errors import CannotStageError
from tests.zoo.keeper import ROOT

_KEPT = ROOT / "build" / "zoo" / "composed.csv"
_CASES = 300


def main() -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what is mounted goes
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=_CASES)
    parser.add_argument("--only", default="")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--minutes", type=float, default=24 * 60)
    arguments = parser.parse_args()
    only = [int(number) for number in arguments.only.split(",") if number]
    lines = [] if only or arguments.again else read_lines(_KEPT)
    lines = [line for line in lines if line["seed"] == str(arguments.seed)]
    ends_s = time.monotonic() + 60 * arguments.minutes
    ior = Path(os.environ["IOR"]) if os.environ.get("IOR") else None
    numbers = only or range(10 * arguments.cases)
    kept = None if only else _KEPT
    with (
        tempfile.TemporaryDirectory(prefix="weir-composed-") as folder,
        Composer(Path(folder), ior) as composer,
    ):
        _stage(composer, arguments.seed, numbers, arguments.cases, lines, ends_s, kept)
    if not only:
        write_lines(lines, _KEPT)
    staged = len(cases_with(lines, "seed", str(arguments.seed)))
    print(f"{staged} cases", *(f"{len(cases_with(lines, 'truth', one))} {one}" for one in (FALSE, HONEST)))
    wrong = {name: cases_with(lines, "outcome", name) for name in (MISSED, ALARM)}
    print(", ".join(f"{name}: {len(cases)}" for name, cases in wrong.items()))
    if not only and staged >= arguments.cases and ior:
        write_lines([*(line for line in read_lines() if line["seed"] != str(arguments.seed)), *lines])
        write_composed()
    return any(wrong.values())


def _stage(
    composer: Composer,
    seed: int,
    numbers: range | list[int],
    wanted: int,
    lines: list[Line],
    ends_s: float,
    kept: Path | None,
) -> None:
    """Adds to lines until there are so many cases; kept: where they are after each."""
    done = {int(line["case"]) for line in lines}
    for number in numbers:
        if len(done) >= wanted or time.monotonic() > ends_s:
            break
        if number in done:
            continue
        case, began_s = draw(seed, number, composer.programs), time.monotonic()
        try:
            judged = composer.judge(case)
        except CannotStageError as error:
            print(f"{number:4d} not staged: {error}", flush=True)
            continue
        done.add(number)
        lines += lines_of(seed, case, judged)
        shown = "; ".join(
            f"{one.access} {one.truth}: {one.verdict} {' '.join(one.findings)} {one.missing} -> {one.outcome}"
            for one in judged
        )
        print(f"{number:4d} {time.monotonic() - began_s:.0f} s {', '.join(case.names)} | {shown}", flush=True)
        if kept:
            write_lines(lines, kept)


if __name__ == "__main__":
    sys.exit(main())
