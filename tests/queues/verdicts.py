"""The suite `nodes` on each batch system by Snakemake and by ReFrame, compared with that on Slurm.

    python -m tests.queues.verdicts [--cells all|few] [--keep FOLDER] [--reference FILE]
        [slurm gridengine pbs flux oar]

It prints a line for each batch system and launcher, and below each record that differs for another reason
than load; exit code 1 if there is one. Slurm by Snakemake, or what is measured first, is what the others are
compared with. --cells few: one size of transfer.
"""

import argparse
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.queues.checkout import QueueCheckout
from tests.queues.conftest import NODES, SYSTEMS
from tests.slurm.checkout import Checkout
from tests.slurm.conftest import MISSING
from tests.slurm.private_slurm import new_cluster

# Findings of what else the machine did, or of how fast it was.
LOAD = {
    "device-limited",
    "launch-unexplained",
    "machine-busy",
    "neighbours",
    "others-on-device",
    "paused",
    "phase-too-short",
    "phases-overlap",  # virtual nodes have one clock: ranks waited for a processor between two phases
    "slow-node",
    "slow-rank",
    "stonewall-uneven",
}
AXES = ("nn", "ppn", "api", "xfer_bytes", "block_bytes", "layout", "order", "access", "iteration", "run")
METHODS = ("snakemake", "reframe")
BATCHES = 6
_LIMIT_S = 1800
_TRIES = 3
Row = Mapping[str, str]
Made = Callable[[Path], Checkout]


@dataclass(frozen=True)
class Judgement:
    """Of a record."""

    verdict: str
    findings: frozenset[str]  # names of rules, notes with them, and of evidence that is missing
    load: frozenset[str]

    def agrees(self, other: "Judgement") -> bool:
        if self.findings != other.findings:
            return False
        return self.verdict == other.verdict or bool(self.load | other.load)

    def __str__(self) -> str:
        return f"{self.verdict} ({', '.join(sorted(self.findings | self.load)) or 'no finding'})"


def judgements(rows: Sequence[Row]) -> dict[tuple[str, ...], Judgement]:
    """By what was measured."""
    found = {}
    for row in rows:
        names = {name for name in row["reasons"].split(";") if name}
        names |= set(re.findall(r"(?:^|; )([a-z]+(?:-[a-z]+)+): ", row["notes"]))
        missing = {f"lacks {name.strip()}" for name in row["missing"].split(";") if name.strip()}
        key = tuple(row[axis] for axis in AXES)
        assert key not in found, f"{key} was measured twice"
        found[key] = Judgement(row["verdict"], frozenset(names - LOAD | missing), frozenset(names & LOAD))
    return found


def differences(rows: Sequence[Row], reference: Sequence[Row]) -> list[str]:
    """What is not as in the reference, for another reason than load."""
    here, there = judgements(rows), judgements(reference)
    lines = [f"{' '.join(key)}: not measured" for key in sorted(there.keys() - here.keys())]
    lines += [f"{' '.join(key)}: measured here alone" for key in sorted(here.keys() - there.keys())]
    for key in sorted(here.keys() & there.keys()):
        if not here[key].agrees(there[key]):
            lines.append(f"{' '.join(key)}: {here[key]}; Slurm: {there[key]}")
    return lines


def measured(made: Checkout, method: str, cells: str) -> list[dict[str, str]]:
    """Records, after all batches were jobs."""
    made.real_suite("nodes", [1, 2, 4], [1, 2])
    if cells == "few":
        made.shorten("xfer: [16 KiB, 1 MiB]", "xfer: [1 MiB]")
    by_reframe = method == "reframe"
    command = made.reframe_words("--name", "^measure", "--run") if by_reframe else made.snakemake_words()
    code, output = 1, ""
    for _ in range(_TRIES):  # on a busy machine a job may end before it has measured all
        if code:
            code, output = made.ended(*command, limit_s=_LIMIT_S)
            assert not by_reframe or f"Ran {BATCHES}/{BATCHES} test case" in output, output
    assert code == 0, output
    if by_reframe:
        plan, records = made.results / "nodes" / "plan.json", made.results / "nodes" / "records.csv"
        plan.parent.mkdir(parents=True, exist_ok=True)
        for arguments in (
            ["weir", "plan", "--site", "sandbox", "--suite", "nodes", "--out", str(plan)],
            ["weir", "collect", "--plan", str(plan), "--results", str(made.results), "--out", str(records)],
        ):
            made.run(*arguments)
    return made.records()


@contextmanager
def slurm() -> Iterator[Made]:
    cluster = new_cluster()
    cluster.up("--nodes", str(len(NODES)))
    try:
        yield lambda folder: Checkout.make(folder, cluster)
    finally:
        cluster.down()


@contextmanager
def queue(name: str) -> Iterator[Made]:
    system = next(each for each in SYSTEMS if each.scheduler == name)
    cluster = system.start(NODES)

    def make(folder: Path) -> Checkout:
        made = QueueCheckout.make(folder, cluster)
        made.use(system.scheduler, system.options, system.launcher)
        return made

    try:
        yield make
    finally:
        cluster.down()


def missing(name: str) -> str:
    """Why it cannot be measured here, or nothing."""
    if name == "slurm":
        return MISSING
    return next(each for each in SYSTEMS if each.scheduler == name).missing()


def study_of(name: str, methods: Sequence[str], cells: str) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Records by each of them, on one private batch system; the folders go when they were read."""
    with slurm() if name == "slurm" else queue(name) as make:
        for method in methods:
            with tempfile.TemporaryDirectory(prefix=f"weir-{name}-{method}-") as folder:
                made = make(Path(folder) / "weir")
                try:
                    yield method, measured(made, method, cells)
                finally:
                    made.end()


def line(name: str, method: str, rows: Sequence[Row], reference: Sequence[Row]) -> str:
    found = judgements(rows)
    verdicts = Counter(each.verdict for each in found.values())
    load = Counter(rule for each in found.values() for rule in each.load)
    others = sum(verdicts.values()) - verdicts["VALID"] - verdicts["DEGRADED"]
    cells = {tuple(row[axis] for axis in AXES[:-3]) for row in rows}
    columns = [name, method, len(cells), len(rows), verdicts["VALID"], verdicts["DEGRADED"], others]
    columns += [len(differences(rows, reference))]
    columns += [", ".join(f"{rule} {count}" for rule, count in sorted(load.items())) or "-"]
    return "| " + " | ".join(map(str, columns)) + " |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("systems", nargs="*", default=["slurm", *(each.scheduler for each in SYSTEMS)])
    parser.add_argument("--by", dest="methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--cells", choices=("all", "few"), default="all")
    parser.add_argument("--keep", type=Path, help="folder for the records as JSON")
    parser.add_argument("--reference", type=Path, help="such records, of Slurm, to compare with")
    args = parser.parse_args()
    print("| batch system | by | cells | records | VALID | DEGRADED | other | differ from Slurm | load |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    reference: list[dict[str, str]] = json.loads(args.reference.read_text()) if args.reference else []
    lines, differ, began = [], False, time.monotonic()
    for name in args.systems:
        if reason := missing(name):
            print(f"| {name} | skipped: {reason} |", flush=True)
            continue
        for method, rows in study_of(name, args.methods, args.cells):
            reference = reference or rows
            print(line(name, method, rows, reference), flush=True)
            found = differences(rows, reference)
            differ = differ or bool(found)
            lines += [f"{name} {method}: {each}" for each in found]
            lines.append(f"{name} {method}: measured {time.monotonic() - began:.0f} s after the begin")
            if args.keep:
                args.keep.mkdir(parents=True, exist_ok=True)
                (args.keep / f"{name}-{method}.json").write_text(json.dumps(rows))
    print("\n".join(lines))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
