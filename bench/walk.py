"""The walk of a batch: how often whoever reads its code in the order of its calls changes the file.

python bench/walk.py [--show] measures one write of 64 KiB to tmpfs in this process and follows the calls from
`weir run` on. A named function counts when it is called for the first time. A stay is a part of the walk in
one file: it ends where a function calls one of another file, and another begins where its caller goes on.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from bench.batches import ROOT, configure
from weir.commands import run
from weir.plan import make_plan, write_plan
from weir.plan.config import load_config

# The parts that a reader has to follow: the others are called by name, and return.
ROAD = ("weir/commands/", "weir/workflow/", "weir/measure/", "weir/runs/")


class Call(NamedTuple):
    """The first call of a function, with the file of its caller; files below the checkout."""

    caller: str
    file: str
    function: str


def stays(calls: Sequence[Call], parts: Sequence[str] = ("weir/",)) -> list[str]:
    """The files of the walk in its order, one for each stay, as far as they are in these parts."""
    walk = [file for call in calls if call.file.startswith(tuple(parts)) for file in (call.caller, call.file)]
    return [file for file, _ in groupby(file for file in walk if file.startswith(tuple(parts)))]


@contextmanager
def followed(calls: list[Call]) -> Iterator[None]:
    """Notes the first call of each function of weir within the block; of forked processes none."""
    seen: set[Any] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code in seen or code.co_name.startswith("<") or not _file(frame):
            return
        seen.add(code)
        caller = frame.f_back
        while caller is not None and not _file(caller):
            caller = caller.f_back
        calls.append(Call(_file(caller) if caller else "", _file(frame), code.co_qualname))

    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)


def _file(frame: FrameType) -> str:
    """The file of a function of weir below the checkout; empty for every other function."""
    name = frame.f_code.co_filename.removeprefix(f"{ROOT}/")
    return name if name.startswith("weir/") else ""


def measured(folder: Path, data: Path) -> list[Call]:
    """The calls of a batch of one execution."""
    configure(folder, data, 1, [1])
    plan = make_plan(load_config(folder / "config/config.yaml", root=ROOT, config_dir=folder / "config"))
    write_plan(plan, folder / "plan.json")
    parser = argparse.ArgumentParser()
    run.add_arguments(parser)
    options = ["--plan", str(folder / "plan.json"), "--results", str(folder / "results")]
    args = parser.parse_args([*options, "--progress", str(folder / "progress")])
    calls: list[Call] = []
    with followed(calls):
        status = run.execute(args)
    if status:
        raise SystemExit("the batch was not measured")
    return calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print each function of the road with its file")
    args = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="weir-bench-walk-") as folder,
        tempfile.TemporaryDirectory(prefix="weir-bench-walk-", dir="/dev/shm") as data,
    ):
        calls = measured(Path(folder), Path(data))
    if args.show:
        for call in calls:
            if call.file.startswith(ROAD):
                print(f"{call.file}: {call.function}")
    for title, parts in (("the road", ROAD), ("weir", ("weir/",))):
        walk = stays(calls, parts)
        print(f"{title}: {len(walk)} stays in {len(set(walk))} files")


if __name__ == "__main__":
    main()
