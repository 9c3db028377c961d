"""An IOR that was built without an interface: its cells are unavailable, and all others are measured."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.programs import replace_in
from tests.workflow.conftest import ROOT, SUITE, Checkout
from tests.workflow.reframe_results import reframe
from weir.plan import read_plan
from weir.workflow.study import what_is_left

pytestmark = pytest.mark.slow
RECEIPT = "ram-debian-1x2.json"
RUN = ("run", "--plan", "plan.json", "--results", "results/local")
# As the --help of an IOR without MPI-IO tells it. It measures by weir-io, which prints what IOR prints.
WITHOUT_MPIIO = """\
#!/bin/sh
case " $* " in *" --help "*)
    echo once >>{calls}
    echo '  -a=POSIX   API for I/O [POSIX|DUMMY|MMAP]'
    exit ;;
esac
exec "{engine}" ior "$@"
"""


@pytest.fixture
def lacking(tiny: Checkout) -> Checkout:
    """The tiny suite with an original IOR that lacks the interface of half of its cells."""
    text = WITHOUT_MPIIO.format(calls=tiny.root / "calls", engine=ROOT / "build/weir-io")
    tiny.use(ior=[str(tiny.write("bin/ior", text))])
    replace_in(tiny.root / SUITE, "iterations: 2", "iterations: 1")
    assert tiny.weir("plan", "--out", "plan.json").returncode == 0
    return tiny


def receipt_of(checkout: Checkout) -> dict[str, Any]:
    (one,) = json.loads((checkout.root / RECEIPT).read_text())["batches"]
    return dict(one)


@pytest.mark.row("an interface that the program lacks")
def test_cells_without_their_interface_are_unavailable_and_the_others_are_measured(lacking: Checkout) -> None:
    (check,) = [
        row
        for row in json.loads(lacking.weir(*RUN, "--preflight", "--json").stdout)
        if row["check"] == "interfaces ior"
    ]
    assert "2 of 4 cells are unavailable: " in check["problem"]
    assert check["unavailable_cells"] == 2
    done = lacking.weir(*RUN, "--receipt", RECEIPT, code=1)
    reason = f"{lacking.root}/bin/ior was built without MPIIO (it has: POSIX, NULL, MMAP)"
    assert f"  unavailable: 2 cells: {reason}\n" in done.stdout
    receipt = receipt_of(lacking)
    assert (receipt["measured"], receipt["done"], receipt["failed"]) == (2, 2, [])
    assert [*receipt["unavailable_cells"].values()] == [reason] * 2
    assert all("MPIIO" in label for label in receipt["unavailable_cells"])
    assert "[2/2]" in done.stderr, "what is unavailable is not counted as to be measured"
    assert {row["api"] for row in lacking.collect("records.csv")} == {"POSIX"}
    with (lacking.root / "excluded.csv").open() as stream:
        excluded = [(row["reason"], row["cells"]) for row in csv.DictReader(stream)]
    assert (reason, "2") in excluded
    left = what_is_left(read_plan(lacking.root / "plan.json"), lacking.root / "results/local", lacking.root)
    assert f"was skipped: {reason}" in left


def test_an_interface_that_is_there_later_is_measured_then(lacking: Checkout) -> None:
    assert lacking.weir(*RUN).returncode == 1
    replace_in(lacking.root / "bin/ior", "|MMAP", "|MMAP|MPIIO")
    lacking.weir(*RUN, "--receipt", RECEIPT, code=0)
    receipt = receipt_of(lacking)
    assert (receipt["kept"], receipt["done"], receipt["unavailable_cells"]) == (2, 2, {})
    assert not list((lacking.root / "results/local/unavailable").iterdir())


def test_a_batch_of_which_no_cell_has_its_interface_is_stopped(lacking: Checkout) -> None:
    with lacking.edited(SUITE) as suite:
        suite["experiments"]["one"]["space"]["api"] = ["MPIIO"]
    assert lacking.weir("plan", "--out", "plan.json").returncode == 0
    done = lacking.weir(*RUN, code=1)
    assert "target ram: " in done.stderr
    assert "was built without MPIIO" in done.stderr
    assert not list(lacking.root.glob("results/local/runs/*/*/run.json"))


def test_a_program_lists_its_interfaces_once_for_all_batches_of_a_session(lacking: Checkout) -> None:
    with lacking.edited(SUITE) as suite:
        suite["experiments"]["one"]["repetitions"]["rounds"] = 2
        suite["experiments"]["one"]["ppn"] = [1, 2]
    assert lacking.weir("plan", "--out", "plan.json").returncode == 0
    done = lacking.weir(*RUN, "--json")
    assert len(json.loads(done.stdout)["batches"]) == 2
    assert (lacking.root / "calls").read_text().split() == ["once"]


def test_reframe_fails_the_check_with_the_reason(lacking: Checkout) -> None:
    session = reframe(lacking, "--name=^measure", "-S", "suite=tiny", "--run").ended("FAIL")
    assert "2 cells unavailable: " in session.text
    assert "was built without MPIIO" in session.text
    assert len(list(Path(lacking.root).glob("results/**/run.json"))) == 2
