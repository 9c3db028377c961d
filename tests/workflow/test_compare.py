"""weir compare on what was measured here: A against B, stack against stack, and the confirmation of both."""

import json
import os
import shlex
import shutil
from pathlib import Path

import pytest

from tests.checkout import make_checkout
from tests.conftest import ROOT
from tests.unit.decide.compare.test_command import three_commands
from tests.unit.decide.compare.test_compare import cell, noisy
from weir.cli import main
from weir.collect.table import read_records, write_records
from weir.plan import read_plan

# Null stores nothing: each transfer takes as long as in the stack, whatever else the machine does.
STACK = """
  {name}:
    programs: {{ior: {program}}}
    environment: {{OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1"}}
    launcher_options: [--oversubscribe, --bind-to, none, --mca, pml, ob1, --mca, btl, "self,vader"]
"""
SITE = """
site: here
description: One machine
partitions:
  node: {{nodes: 1, cores_per_node: 2, launcher: mpirun, scheduler: local, launch: 1 s, stacks: [{names}]}}
stacks:{stacks}
"""
TARGET = 'target: disk\nkind: disk\ndescription: A directory\npath: {path}\napis: [POSIX, "NULL"]\n'
SUITE = """
suite: {name}
question: Is there a difference?
experiments:
  one:
    tool: ior
    nodes: [1]
    ppn: [1]
    space: {{api: ["{api}"]}}
    fixed: {{access: [write], xfer: 64 KiB, block: 128 KiB}}
    repetitions: {{rounds: 3}}
"""


def weir_io(*options: str) -> list[str]:
    return [str(ROOT / "build" / "weir-io"), "ior", *options]


def site(folder: Path, suite: str, api: str, **stacks: list[str]) -> None:
    """A folder with a configuration, in which `weir` finds it."""
    (folder / "target").mkdir(parents=True)
    text = "".join(
        STACK.format(name=name, program=json.dumps(arguments)) for name, arguments in stacks.items()
    )
    make_checkout(
        folder,
        site=SITE.format(names=", ".join(stacks), stacks=text),
        targets={"disk": TARGET.format(path=folder / "target")},
        suites={suite: SUITE.format(name=suite, api=api)},
        config=f"site: here\nsuites: [{suite}]\n",
    )


def measure(folder: Path, study: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> None:
    monkeypatch.chdir(folder)
    plan = str(study / "plan.json")
    study.mkdir(parents=True)
    assert main(["plan", *options, "--out", plan]) == 0
    assert main(["run", "--plan", plan, "--results", str(study.parent), "--interleave"]) == 0
    assert main(["collect", "--plan", plan, "--out", str(study / "records.csv")]) == 0


@pytest.mark.slow
def test_stacks_are_compared_and_measured_again_in_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stacks = {"plain": weir_io("--null.delay-us", "5000"), "slow": weir_io("--null.delay-us", "150000")}
    site(tmp_path, "delays", "NULL", **stacks)
    monkeypatch.chdir(tmp_path)
    study = tmp_path / "results/here/delays"
    study.mkdir(parents=True)
    assert main(["plan", "--out", str(study / "plan.json")]) == 0
    speeds = {"plain": 1000.0, "slow": 500.0}
    old = [
        cell(noisy(number, 4, speeds[one.stack]), cell=one.cell, stack=one.stack, api="NULL")
        for number, one in enumerate(read_plan(study / "plan.json").cells)
    ]
    write_records(study / "records.csv", [row for rows in old for row in rows])
    capsys.readouterr()
    arguments = ["compare", str(study), "--by", "stack", "--confirm", "--confirm-rounds", "3", "--json"]
    assert main(arguments) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["verdict"] for one in found["pairs"]] == ["slower"]
    (one,) = found["confirmation"]["pairs"]
    assert (one["why"], one["in_turns"], one["design"], one["rounds"]) == (None, True, "paired", [3, 3])
    new = Path(found["confirmation"]["records"])
    assert new.parent.parent == study
    rows = read_records(new)
    known = {"plain": 128 / 1024 / 0.010, "slow": 128 / 1024 / 0.300}  # MiB/s at most: two transfers a run
    assert all(row["bw_mib_s"] <= known[row["stack"]] for row in rows)
    assert main(["compare", str(new), "--by", "stack"]) == 0  # a table as any other
    assert "1 pair: " in capsys.readouterr().out


@pytest.fixture
def ior() -> str:
    found = os.environ.get("IOR") or shutil.which("ior")
    if not found:
        pytest.skip("the real IOR: name it with IOR=PATH")
    return found


@pytest.mark.slow
def test_the_real_ior_is_compared_with_weir_io(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ior: str
) -> None:
    """The third command of docs/how-to/compare.md, on what both programs measured."""
    for name, program in (("original", [ior]), ("weir", weir_io())):
        folder = tmp_path / name
        site(folder, f"ior-{name}", "POSIX", plain=program)
        measure(folder, tmp_path / f"results/lab/ior-{name}", monkeypatch)
    capsys.readouterr()
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(three_commands()[2])[1:]) == 0
    assert "1 pair: " in capsys.readouterr().out


CHECK = "    cross_check: {{programs: {{ior: {program}}}, margin: 90 %}}\n"


def checked(folder: Path, suite: str, api: str, own: list[str], other: list[str]) -> None:
    """A site with one stack of two programs."""
    site(folder, suite, api, stack=own)
    with (folder / "config/sites/here/site.yaml").open("a") as stream:
        stream.write(CHECK.format(program=json.dumps(other)))


@pytest.mark.slow
def test_two_programs_of_a_stack_are_compared_in_the_same_rounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The records beside are a purpose of their own; the last line of a run and of a collection compares."""
    programs = [weir_io("--null.delay-us", delay) for delay in ("5000", "150000")]
    checked(tmp_path, "delays", "NULL", *programs)
    study = tmp_path / "results/here/delays"
    measure(tmp_path, study, monkeypatch)
    plan = read_plan(study / "plan.json")
    assert [len(batch.cells) for batch in plan.batches] == [2]
    text = "weir-io and weir-io agree within 90 %"
    printed = [line.strip() for line in capsys.readouterr().out.splitlines() if text in line]
    assert len(printed) == 2
    assert ", ratio 0." in printed[0]
    facts = json.loads((study / "facts.json").read_text())
    assert [one["text"] for one in facts["cross_check"]] == [printed[0]]
    purposes = {row["cell"]: row["purpose"] for row in read_records(study / "records.csv")}
    own, beside = (
        next(cell for cell in plan.cells if bool(cell.checks) == is_beside) for is_beside in (False, True)
    )
    assert purposes == {own.cell: "bandwidth", beside.cell: "cross-check"}


@pytest.mark.slow
def test_weir_io_is_a_cross_check_of_the_real_ior(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ior: str
) -> None:
    """One stack with both, and the command of docs/how-to/stacks.md on its study."""
    checked(tmp_path / "both", "quick", "POSIX", [ior], weir_io())
    measure(tmp_path / "both", tmp_path / "results/lab/quick", monkeypatch)
    assert "weir-io and IOR agree within 90 %" in capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/how-to/stacks.md").read_text()
    command = next(line for line in page.splitlines() if line.startswith(".venv/bin/weir compare "))
    assert main([*shlex.split(command)[1:], "--all"]) == 0
    text = capsys.readouterr().out
    assert "1 pair: " in text
    assert "A: program IOR" in text
    assert "B: program weir-io" in text
