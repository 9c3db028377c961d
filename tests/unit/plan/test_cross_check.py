"""Cells that a second program measures, beside the first or instead."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.checkout import ROOT, SITE, SUITE, TARGET, TOOLS, load, make_checkout, shipped
from weir.base.errors import ConfigError
from weir.plan import Plan, make_plan, plan_data, plan_from_data
from weir.plan.card import cost_card
from weir.plan.config import load_config
from weir.records.model import Cell
from weir.tools import tools
from weir.tools.base import Tool

CHECK = """\
    cross_check:
      programs: {fake: ["{root}/bin/second"]}
"""


def plan_of(folder: Path, more: str = "", site: str = SITE, suite: str = SUITE) -> Plan:
    return make_plan(load(make_checkout(folder, {"mine": suite}, site + more)))


@pytest.fixture
def no_mpi(monkeypatch: pytest.MonkeyPatch) -> Tool:
    """The stack's own program has no MPI-IO."""

    def unsupported(cell: Cell, program: Sequence[str]) -> str | None:
        is_own = program[0].endswith("/fake")
        return "fake has no MPIIO" if is_own and cell.params["api"] == "MPIIO" else None

    monkeypatch.setattr(TOOLS["fake"], "unsupported", unsupported)
    return TOOLS["fake"]


def test_a_cross_check_adds_cells_and_changes_none(tmp_path: Path) -> None:
    before, plan = plan_of(tmp_path / "a"), plan_of(tmp_path / "b", CHECK)
    own = [cell for cell in plan.cells if not cell.checks]
    beside = [cell for cell in plan.cells if cell.checks]
    assert [cell.cell for cell in own] == [cell.cell for cell in before.cells]
    assert (len(own), len(beside)) == (8, 4)
    by_name = {cell.cell: cell for cell in own}
    for cell in beside:
        checked = by_name[str(cell.checks)]
        assert cell.label == f"{checked.label} cross-check"
        assert (cell.params, cell.rounds, cell.until) == (checked.params, checked.rounds, None)
        assert (cell.by_cross_check, checked.by_cross_check) == (True, False)
        stack = plan.site.stacks["plain"]
        assert [stack.program_of(one)[0].rpartition("/")[2] for one in (checked, cell)] == ["fake", "second"]


def test_cells_beside_are_unlike_each_other(tmp_path: Path) -> None:
    """Two show both interfaces, both sizes and both numbers of processes."""
    plan = plan_of(tmp_path, CHECK + "      cells: 2\n")
    beside = [cell for cell in plan.cells if cell.checks]
    shown = [{cell.params["api"] for cell in beside}, {cell.params["xfer_bytes"] for cell in beside}]
    assert [*shown, {cell.ppn for cell in beside}] == [{"POSIX", "MPIIO"}, {2**14, 2**20}, {1, 2}]


def test_both_programs_have_one_batch_also_where_a_limit_splits_it(tmp_path: Path) -> None:
    site = SITE.replace("scheduler: local", "scheduler: slurm, time_limit: 1 min")
    sizes = ", ".join(f"{number} KiB" for number in range(1, 21))
    suite = SUITE.replace("[16 KiB, 1 MiB]", f"[{sizes}]")
    plan = plan_of(tmp_path, CHECK + "      cells: 20\n", site, suite)
    assert len(plan.batches) > 2
    batch_of = {cell.cell: batch.batch for batch in plan.batches for cell in batch.cells}
    beside = [cell for cell in plan.cells if cell.checks]
    assert len(beside) == 20
    assert all(batch_of[cell.cell] == batch_of[str(cell.checks)] for cell in beside)


def test_the_plan_and_its_card_say_which_program_checks_which(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, CHECK)
    note = "fake measures 8 cells of fake with stack plain; second measures 4 of them beside it (cross-check)"
    assert note in plan.notes
    card = cost_card(plan)
    assert "cells         12 (8 combinations: 0 excluded; 4 of the cells are a cross-check)" in card
    assert (plan.cost.excluded, plan.cost.cells) == (0, 12)
    data = json.loads(json.dumps(plan_data(plan)))
    assert plan_from_data(data) == plan
    schema = yaml.safe_load((ROOT / "config/schemas/cell.schema.yaml").read_text())
    for cell in (cell for batch in data["batches"] for cell in batch["cells"]):
        jsonschema.validate(cell, schema)


def test_what_the_own_program_cannot_measure_the_other_one_measures(tmp_path: Path, no_mpi: Tool) -> None:
    without = plan_of(tmp_path / "a")
    assert [(one.reason, one.count) for one in without.exclusions] == [("stack plain: fake has no MPIIO", 4)]
    plan = plan_of(tmp_path / "b", CHECK + "      cells: 0\n")
    assert (plan.exclusions, len(plan.cells)) == ((), 8)
    by_program = Counter((cell.params["api"], cell.by_cross_check) for cell in plan.cells)
    assert by_program == {("POSIX", False): 4, ("MPIIO", True): 4}
    assert not any(cell.checks for cell in plan.cells)
    assert "second measures 4 cells in place of fake with stack plain: fake has no MPIIO" in plan.notes


def test_a_cell_in_place_is_that_of_a_stack_that_names_its_program(tmp_path: Path, no_mpi: Tool) -> None:
    plan = plan_of(tmp_path / "a", CHECK)
    other = plan_of(tmp_path / "b", site=SITE.replace("bin/fake", "bin/second"))
    in_place = {cell.cell for cell in plan.cells if cell.by_cross_check and not cell.checks}
    assert in_place == {cell.cell for cell in other.cells if cell.params["api"] == "MPIIO"}
    beside = {cell.cell for cell in plan.cells if cell.checks}
    assert not beside & {cell.cell for cell in other.cells}, "a run counts, or it is beside"


@pytest.mark.parametrize(
    ("programs", "message"),
    [
        ('{fkae: ["x"]}', "stack plain has no program of fkae to check"),
        ('{fake: ["{root}/bin/fake"]}', "is the program of fake itself: nothing is checked"),
    ],
)
def test_a_program_that_checks_nothing_is_refused(tmp_path: Path, programs: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as error:
        plan_of(tmp_path, f"    cross_check: {{programs: {programs}}}\n")
    assert error.value.problems[0].file == "config/sites/here/site.yaml"


@pytest.mark.parametrize("site", ["lustre-template", "ime-template"])
def test_templates_of_spack_stacks_measure_by_the_originals(site: str) -> None:
    """mdtest and IOR give the numbers where they can; IOR checks the writes of what weir-io measures."""
    plan = make_plan(shipped(site, ["metadata", "nersc-ior", "nodes"]))
    own = [cell for cell in plan.cells if not cell.checks]
    assert {cell.tool for cell in own if not cell.by_cross_check} >= {"mdtest", "ior"}
    in_place = [cell for cell in own if cell.by_cross_check and cell.tool == "ior"]
    assert in_place
    for cell in in_place:
        assert tools()["ior"].unsupported(cell, ["ior"])
    beside = {str(cell.checks): cell for cell in plan.cells if cell.checks}
    writes = [beside[cell.cell] for cell in in_place if cell.cell in beside and cell.params["drop_caches"]]
    assert writes
    for cell in writes:
        wanted = (["write"], False, False)
        assert (cell.params["access"], cell.params["drop_caches"], cell.by_cross_check) == wanted


NETCDF = """\
suite: mine
question: How fast is it?
experiments:
  files:
    tool: netcdf-bench
    nodes: [1]
    ppn: [1, 2]
    fixed: {drop_caches: true, sync: %s}
"""
BENCHTOOL = """\
    cross_check:
      programs: {netcdf-bench: ["{root}/bin/weir-io", netcdf-bench]}
"""


def netcdf_plan(folder: Path, sync: str, more: str = "", suite: str = NETCDF) -> Plan:
    site = (
        SITE.replace("fake: [", "netcdf-bench: [")
        .replace("bin/fake", "bin/benchtool")
        .replace("1 s", more or "1 s")
    )
    target = TARGET.replace("[POSIX, MPIIO]", "[NETCDF4]")
    make_checkout(folder, {"mine": suite % sync}, site + BENCHTOOL, {"disk": target})
    return make_plan(load_config(root=folder, environment={}))


def test_what_the_original_lacks_is_left_out_by_both_programs(tmp_path: Path) -> None:
    """benchtool does not synchronise, which makes a write another result: weir-io writes without it, too."""
    plan = netcdf_plan(tmp_path, "true")
    by_name = {cell.cell: cell for cell in plan.cells}
    own = [cell for cell in plan.cells if not cell.checks]
    references = [cell for cell in plan.cells if cell.checks in {one.cell for one in own}]
    others = [cell for cell in plan.cells if cell.checks in {one.cell for one in references}]
    assert (len(own), len(references), len(others)) == (2, 2, 2)
    assert len(plan.cells) == 6
    for cell in others:
        checked = by_name[str(cell.checks)]
        assert cell.params == checked.params
        assert (cell.params["access"], cell.params["sync"]) == (["write"], False)
        assert (cell.by_cross_check, checked.by_cross_check) == (False, True)
    assert all(cell.params["sync"] for cell in own)
    text = (
        "; both programs measure the writes of 2 of them without what benchtool lacks beside it (cross-check)"
    )
    assert f"weir-io measures 2 cells of netcdf-bench with stack plain{text}" in plan.notes
    assert cost_card(plan).count("4 of the cells are a cross-check") == 1


def test_cells_of_both_programs_have_one_job(tmp_path: Path) -> None:
    plan = netcdf_plan(tmp_path, "true", "1 s, time_limit: 30 s")
    assert len(plan.batches) == 2
    batch_of = {cell.cell: batch.batch for batch in plan.batches for cell in batch.cells}
    assert all(batch_of[cell.cell] == batch_of[cell.checks] for cell in plan.cells if cell.checks)


def test_a_write_that_both_programs_measure_alike_needs_no_second_cell(tmp_path: Path) -> None:
    plan = netcdf_plan(tmp_path, "false, values: block")
    own = {cell.cell for cell in plan.cells if not cell.checks}
    assert (len(own), [cell.checks in own for cell in plan.cells if cell.checks]) == (2, [True, True])


@pytest.mark.parametrize("drops", ["true", "false"])
def test_both_programs_write_the_values_of_the_original(tmp_path: Path, drops: str) -> None:
    """Random values take a third of the time of a write to memory."""
    text = NETCDF.replace("drop_caches: true", f"drop_caches: {drops}")
    plan = netcdf_plan(tmp_path, "false", suite=text)
    beside = [cell for cell in plan.cells if cell.checks]
    by_engine = [cell for cell in beside if cell.by_cross_check]
    assert len(by_engine) == 2
    assert {cell.params["values"] for cell in beside} == {"block"}
    accesses = ["write"] if drops == "true" else ["write", "read"]
    assert all(cell.params["access"] == accesses for cell in beside)
    (note,) = [one for one in plan.notes if "cross-check" in one]
    assert ("the writes of" in note) == (drops == "true")
