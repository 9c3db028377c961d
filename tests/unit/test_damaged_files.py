"""Commands that read a study meet its files damaged: they work or name the fault, without a traceback."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.growth import write_configuration, write_runs
from weir.cli import main
from weir.measure.clean_up.remains import settle
from weir.plan import read_plan

STUDY = "results/large/study"


def nested(_: bytes) -> bytes:
    return b"[" * 100_000


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "half": lambda text: text[: len(text) // 2],
    "zeros": lambda text: text[:50] + bytes(20) + text[50:],
    "list": lambda _: b"[]",
    "number": lambda _: b"7",
    "empty": lambda _: b"{}",
    "nulls": lambda text: re.sub(rb": [-0-9.]+", b": null", text),
    "nested": nested,
    "arguments": lambda text: text.replace(b"1", b'"x"'),
    "nothing": lambda text: text.replace(b": {", b": [{"),
}
# What reads the file; `runs` is the folder of one run, `launch` that of the launch that a killed weir left.
READERS = {
    f"{STUDY}/plan.json": ("collect", "show", "watch", "plan"),
    f"{STUDY}/records.csv": ("audit", "import", "compare", "show", "site", "history"),
    f"{STUDY}/facts.json": ("show", "site", "compare", "history"),
    f"{STUDY}/SHA256SUMS": ("verify", "compare"),
    "runs/rows.json": ("collect", "import runs", "verify", "watch"),
    "runs/run.json": ("collect", "import runs", "verify", "watch"),
    "runs/summary.json": ("collect", "import runs"),
    "launch/launch.json": ("watch", "settle"),
    "launch/status": ("watch", "settle"),
}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of a plan of eight cells, collected."""
    folder = tmp_path_factory.mktemp("study")
    write_configuration(folder / "config", 8)
    plan_file = folder / STUDY / "plan.json"
    assert main(["plan", "--config-dir", str(folder / "config"), "--out", str(plan_file)]) == 0
    plan = read_plan(plan_file)
    results = folder / "results/large"
    write_runs(plan, results, 0, 2)
    launch = results / "launches" / plan.batches[0].batch
    launch.mkdir(parents=True)
    (launch / "launch.json").write_text(json.dumps({f"{plan.cells[2].cell}-000": {"host": {}}}))
    (launch / "status").write_text(f"{plan.cells[2].cell}-000\t0\t1.0\n")
    arguments = ["--plan", str(plan_file), "--out", str(plan_file.with_name("records.csv"))]
    assert main(["collect", *arguments]) == 0
    (folder / "runs").symlink_to(results / "runs" / plan.cells[0].cell / "000")
    (folder / "launch").symlink_to(launch)
    return folder


def arguments(command: str, folder: Path, whole: Path) -> list[str]:
    study, results = str(folder / STUDY), str(folder / "results/large")
    plan, records = f"{study}/plan.json", f"{study}/records.csv"
    return {
        "collect": ["collect", "--plan", plan, "--out", records],
        "show": ["show", study],
        "watch": ["watch", study, "--once"],
        "plan": ["plan", "--config-dir", str(folder / "config"), "--out", plan],
        "audit": ["audit", records],
        "import": ["import", records, "--out", str(folder / "imported/records.csv")],
        "import runs": ["import", str(folder / "runs"), "--out", str(folder / "imported/records.csv")],
        "compare": ["compare", study, str(whole / STUDY)],
        "site": ["site", results],
        "history": ["history", "add", str(folder / "history"), study],
        "verify": ["verify", study],
    }[command]


PAIRS = [(name, damage) for name in READERS for damage in DAMAGES]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "damage"), PAIRS)
def test_a_damaged_file_is_a_message_or_no_matter(
    study: Path, tmp_path: Path, name: str, damage: str
) -> None:
    for number, command in enumerate(READERS[name]):
        folder = tmp_path / str(number)
        shutil.copytree(study, folder, symlinks=True)
        for link in ("runs", "launch"):
            inner = (study / link).resolve().relative_to(study)
            (folder / link).unlink()
            (folder / link).symlink_to(folder / inner)
        file = folder / name
        file.write_bytes(DAMAGES[damage](file.read_bytes()))
        if command == "settle":
            settle((folder / "launch").resolve(), folder / "results/large")
        else:
            assert main(arguments(command, folder, study)) in {0, 1, 2, 3}, command
