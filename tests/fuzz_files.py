"""Damaged files of weir's own, each key missing, null or of another type: a message with the file's name.

    python -m tests.fuzz_files [--inputs N] [--seed S] [--keep DIR]

A study of two runs is collected; then one of its files is damaged in one or two values, and a command that
reads it back runs in 1 GiB and 20 s. Anything but its answer or an error with a message is a failure.
"""

import contextlib
import csv
import io
import json
import os
import random
import resource
import shutil
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from bench.growth import write_configuration, write_runs
from tests.fuzz_damage import damaged
from tests.fuzzers import keep_input, options
from weir.base.errors import WeirError
from weir.cli import main as weir
from weir.decide.history.reframe_results import limits_of, read_bounds
from weir.measure.clean_up import remains
from weir.measure.clean_up.remains import settle
from weir.measure.handover import Handover, workflow_runs, write_errors
from weir.measure.lock import NOTE_SUFFIX
from weir.measure.receipt import BatchReceipt, Receipt
from weir.plan import read_plan

STUDY, RESULTS = "results/large/study", "results/large"
MEMORY_MIB = 1024  # for one input, beyond what the process has: a number in a file must not fill the machine
CPU_S = 20.0  # for one input; most take a tenth of a second
PAGE: Mapping[str, Any] = {
    "schema": 1,
    "study": {
        **{"name": "study", "site": "large", "description": "", "title": "", "citation": "", "system": ""},
        **{"question": "How?", "suites": "many", "host": "n1", "processor": "P", "cores": 4},
        "memory": "1 GiB",
        **{"kernel": "6.1", "nodes": 1, "began": "2026-11-22T04:31", "weir": "0.2.0", "executions": 2},
        **{"failed": 0, "digest": 64 * "a", "archived": False},
    },
    "verdicts": {
        "real": {"VALID": 3, "UNPROVEN": 0, "DEGRADED": 1, "INVALID": 0},
        "emulated": {"VALID": 0, "UNPROVEN": 0, "DEGRADED": 0, "INVALID": 0},
        **{"proofs": [{"count": 3, "text": "to the devices"}], "authors": 0, "busy": 1},
    },
    "targets": [
        {"name": "fast", "emulated": False, "kind": "parallel", "file_system": "lustre", "device": "d"}
    ],
    "answers": [
        {
            **{"target": "fast", "access": "write"},
            "best": {
                **{"value": 12.5, "unit": "GiB/s", "lo": 12.0, "hi": 13.0, "n": 3},
                "setting": "POSIX 1 MiB",
            },
            "small": {
                **{"value": 1.5, "unit": "MiB/s", "lo": None, "hi": None, "n": 1, "iops": 400.0},
                "values": [1.5],
            },
            "tail": {"value": 1200.0},
        }
    ],
    "doubts": [{"number": "12 %", "sentence": "of the records are doubted."}],
    "advice": [{"title": "Use larger transfers.", "evidence": "They are fast.", "action": "Set xfer."}],
    "points": [
        {
            **{"target": "fast", "emulated": False, "access": "write", "median": 100.0, "n": 3, "lo": 90.0},
            **{"hi": 110.0, "verdict": "VALID", "setting": "POSIX at 100", "cell": "c", "bandwidth": True},
        }
    ],
    "claims": [],
    "figures": [],
}
# What reads the file back: `run` is the folder of one run, `launch` that of the launch of a killed weir.
READERS: Mapping[str, Sequence[str]] = {
    f"{STUDY}/plan.json": ("collect", "watch", "plan", "verify", "appendix", "bundle"),
    f"{STUDY}/records.csv": ("audit", "import", "compare", "history", "tune", "predict", "accept"),
    f"{STUDY}/facts.json": ("compare", "history", "appendix", "verify"),
    f"{STUDY}/rounds.json": ("verify", "compare", "accept"),
    f"{STUDY}/SHA256SUMS": ("verify", "compare"),
    f"{STUDY}/page.json": ("show", "site", "appendix"),
    f"{STUDY}/intervals.csv": ("compare", "appendix"),
    f"{STUDY}/latencies.csv": ("verify", "appendix"),
    f"{STUDY}/excluded.csv": ("verify", "appendix"),
    f"{RESULTS}/ledger.jsonl": ("collect", "verify", "compare", "accept"),
    f"{STUDY}/ledger-collected.jsonl": ("collect", "verify", "compare"),
    f"{STUDY}/claims.csv": ("appendix",),
    f"{STUDY}/batches/batch.json": ("receipt", "watch"),
    f"{STUDY}/batches/batch.errors.json": ("reasons", "watch"),
    f"{RESULTS}/costs.jsonl": ("plan",),
    ".snakemake/weir-workflow.json": ("workflow",),
    f"locks/target{NOTE_SUFFIX}": ("clean",),
    "bounds.json": ("reference",),
    "run/rows.json": ("collect", "import runs", "verify", "watch"),
    "run/run.json": ("collect", "import runs", "verify", "watch", "accept", "bundle"),
    "run/summary.json": ("collect", "import runs"),
    "launch/launch.json": ("watch", "settle"),
    "launch/status": ("watch", "settle"),
    "history/campaign/facts.json": ("history check",),
    "history/campaign/records.csv": ("history check",),
    "scan.state": ("scan",),
}


@dataclass(frozen=True)
class Failure:
    """A damaged file that broke a command."""

    file: str
    command: str
    text: bytes
    what: str


def write_files(folder: Path) -> Path:
    """A study of two runs of a plan of eight cells, and all that weir notes beside it."""
    write_configuration(folder / "config", 8)
    study, results = folder / STUDY, folder / RESULTS
    plan_file = study / "plan.json"
    _good("plan", "--config-dir", str(folder / "config"), "--out", str(plan_file))
    plan = read_plan(plan_file)
    write_runs(plan, results, 0, 2)
    _good("collect", "--plan", str(plan_file), "--out", str(study / "records.csv"))
    (study / "page.json").write_text(json.dumps(PAGE))
    batch = plan.batches[0]
    names = ("batch", "target", "stack", "nodes", "ppn")
    costs: dict[str, Any] = {name: getattr(batch, name) for name in names}
    costs |= {"at": "2026-11-27T03:31:10", "executions": 2, "failed": 0, "expected_s": 2.0, "actual_s": 3.0}
    costs |= {f"{kind}_{what}": 10 for kind in ("expected", "actual") for what in ("bytes", "inodes")}
    (results / "costs.jsonl").write_text(json.dumps(costs) + "\n")
    launch = results / "launches" / batch.batch
    launch.mkdir(parents=True)
    (launch / "launch.json").write_text(json.dumps({f"{plan.cells[2].cell}-000": {"host": {}}}))
    (launch / "status").write_text(f"{plan.cells[2].cell}-000\t0\t1.0\n")
    _write_notes(folder, batch.batch)
    (folder / "run").symlink_to(Path(RESULTS) / "runs" / plan.cells[0].cell / "000")
    (folder / "launch").symlink_to(Path(RESULTS) / "launches" / batch.batch)
    (folder / "tree").mkdir()
    (folder / "tree/one.txt").write_text("text")
    _good("scan", str(folder / "tree"), "--state", str(folder / "scan.state"))
    _good("history", "add", str(folder / "history"), str(study))
    [campaign] = (folder / "history").glob("[!.]*")
    campaign.rename(campaign.with_name("campaign"))
    shutil.copytree(folder, folder.with_name("whole"), symlinks=True)
    return folder


def _write_notes(folder: Path, batch: str) -> None:
    """What a batch and a workflow leave for others, and bounds for ReFrame."""
    handover = Handover.of(folder / STUDY, "batch")
    receipt = BatchReceipt(
        **{"batch": "batch", "executions": 2, "kept": 1, "kept_from": None, "kept_to": None, "measured": 1},
        **{"done": 0, "added": 0, "failed": ("one failed",), "left": 0, "successes": 1, "unavailable": None},
        **{"first_failure": "no space", "error": None, "slow_nodes": None},
        unavailable_cells={"one": "no"},
    )
    handover.receipt.parent.mkdir()
    handover.receipt.write_text(json.dumps(Receipt(1, (receipt,)).data()))
    write_errors(WeirError("no space", hint="make some"), handover.errors)
    shutil.copy(handover.errors, handover.receipt.with_name(f"{batch}.errors.json"))
    (folder / ".snakemake").mkdir()
    own = {"host": socket.gethostname(), "pid": os.getpid(), "started_ticks": 1}
    (folder / ".snakemake/weir-workflow.json").write_text(json.dumps(own))
    note: dict[str, Any] = {"target": {"name": "fast", "kind": "disk", "path": "/none", "cleanup": []}}
    note |= {"results": "/none", "batch": "b", "launches": "/none", "token": "x", "machine_lock": "/none"}
    note |= {"note": "/none", "since": 1.5, "temporary": "/tmp", "holder": {**own, "host": "elsewhere"}}
    note["target"]["environment"] = {}
    (folder / "locks").mkdir()
    (folder / f"locks/target{NOTE_SUFFIX}").write_text(json.dumps(note))
    bound = {"cell": "c", "access": "write", "median": 2.0, "low": 1.0}
    (folder / "bounds.json").write_text(json.dumps({"bounds": [bound]}))
    claim = {"paper": "p", "says": "s", "verdict": "reproduced", "evidence": "these records", "effect": "2"}
    claim |= {"lo": "1", "hi": "3", "unit": "%", "bound": "more than 1 %"}
    with (folder / STUDY / "claims.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, claim)
        writer.writeheader()
        writer.writerow(claim)


def _good(*arguments: str) -> None:
    code = weir([*arguments])
    assert code == 0, f"weir {' '.join(arguments)} ended with {code}"


def _clean(folder: Path) -> None:
    """A note of another machine: nothing is cleaned up by it."""
    with mock.patch.object(remains, "lock_directory", return_value=folder / "locks"):
        remains.clean_up_after_kills(print)


# What reads a file in no command of its own, but in a job, at the start of a run, or in ReFrame.
CALLS: Mapping[str, Callable[[Path], object]] = {
    "settle": lambda folder: settle((folder / "launch").resolve(), folder / RESULTS),
    "receipt": lambda folder: _told(lambda: Handover.of(folder / STUDY, "batch").counts()),
    "reasons": lambda folder: Handover.of(folder / STUDY, "batch").reasons(),
    "workflow": lambda folder: workflow_runs((folder / STUDY).resolve()),
    "clean": _clean,
    "reference": lambda folder: _told(lambda: limits_of(read_bounds(folder / "bounds.json"))),
}


def _told(call: Callable[[], object]) -> None:
    """An error with a message is what ReFrame shows."""
    with contextlib.suppress(WeirError):
        call()


def use(command: str, folder: Path) -> None:
    """Run the command on the files of the folder."""
    if command in CALLS:
        CALLS[command](folder)
        return
    study, records = str(folder / STUDY), str(folder / STUDY / "records.csv")
    plan, whole, out = f"{study}/plan.json", str(folder.with_name("whole") / STUDY), str(folder / "out")
    arguments = {
        "collect": ["collect", "--plan", plan, "--out", f"{out}/records.csv"],
        "show": ["show", study],
        "watch": ["watch", study, "--once"],
        "plan": ["plan", "--config-dir", str(folder / "config"), "--out", plan],
        "audit": ["audit", records],
        "import": ["import", records, "--out", f"{out}/records.csv"],
        "import runs": ["import", str(folder / "run"), "--out", f"{out}/records.csv"],
        "compare": ["compare", study, whole],
        "site": ["site", str(folder / RESULTS), "--out", f"{out}/site.html"],
        "history": ["history", "add", f"{out}/history", study],
        "history check": ["history", "check", str(folder / "history")],
        "verify": ["verify", study],
        "appendix": ["appendix", study, "--out", f"{out}/appendix.tex"],
        "tune": ["tune", "--replay", records, "--move", "xfer_bytes"],
        "predict": ["predict", "checkpoint", "--records", records],
        "accept": ["accept", "mistral-2015", study, "--unverified"],
        "scan": ["scan", str(folder / "tree"), "--state", str(folder / "scan.state")],
        "bundle": ["bundle", study, "--list"],
    }[command]
    code = weir(arguments)
    assert code in {0, 1, 2, 3}, f"ended with {code}"


def failure_of(
    name: str, command: str, text: bytes, folder: Path, call: Callable[[str, Path], None] = use
) -> Failure | None:
    """What goes wrong with one damaged file; the folder is as before afterwards."""
    file = folder / name
    original = file.read_bytes()
    file.write_bytes(text)
    what = None
    printed = io.StringIO()
    try:
        with (
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
            memory_limit(),
            cpu_limit(),
        ):
            call(command, folder)
    except (Exception, TooLongError):
        what = traceback.format_exc()
    finally:
        if command == "settle" or not file.exists():
            _restore(folder)
        file.write_bytes(original)
        shutil.rmtree(folder / "out", ignore_errors=True)
    return Failure(name, command, text, what) if what else None


class TooLongError(BaseException):
    """No command takes it for an error of its own."""


@contextlib.contextmanager
def cpu_limit() -> Iterator[None]:
    """A TooLongError for whoever computes longer: a number in a file must not be counted to."""

    def end(number: int, frame: object) -> None:
        raise TooLongError(f"more than {CPU_S:g} s of computing")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, CPU_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextlib.contextmanager
def memory_limit(mib: int = MEMORY_MIB) -> Iterator[None]:
    """A MemoryError for whoever needs more; processes that it starts inherit the limit."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + mib * 2**20, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _restore(folder: Path) -> None:
    """The results as they were: settling a launch writes and removes files of them."""
    shutil.rmtree(folder / "results")
    shutil.copytree(folder.with_name("whole") / "results", folder / "results", symlinks=True)


def run(count: int, seed: int, keep: Path | None = None) -> list[Failure]:
    """The failures of so many damaged files, each kept as a file."""
    chance, failures = random.Random(seed), []
    with tempfile.TemporaryDirectory(prefix="weir-fuzz-") as name, contextlib.redirect_stdout(io.StringIO()):
        folder = write_files(Path(name) / "files")
        for _ in range(count):
            file = chance.choice([*READERS])
            command = chance.choice(READERS[file])
            text = damaged(file, (folder / file).read_bytes(), chance)
            if failure := failure_of(file, command, text, folder):
                failures.append(failure)
                keep_input(keep, f"{seed}-{len(failures):04d}-{command}-{Path(file).name}", text)
    return failures


def main() -> int:
    args = options(__doc__, inputs=10_000)
    os.environ.pop("WEIR_CONFIG", None)
    failures = run(args.inputs, args.seed, args.keep)
    for failure in failures:
        print(f"weir {failure.command}, {failure.file}: {failure.what}\n")
    print(f"{args.inputs} inputs, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
