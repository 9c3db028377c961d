"""weir/plan: which cells there are, which there are not and why, and their cost."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.checkout import ROOT, SITE, SUITE, TARGET, TOOLS, FakeTool, load, make_checkout
from weir.base.errors import ConfigError, WeirError
from weir.plan import Plan, make_plan, plan_data, read_plan, write_plan
from weir.plan.cost import launches
from weir.records.model import Cell, Footprint

SECOND = TARGET.replace("target: disk", "target: memory").replace("kind: disk", "kind: memory")
RULES = (
    "    where:\n"
    "      - {exclude: api == 'MPIIO' and ppn == 1, because: one process needs no MPI}\n"
    "      - {exclude: target.kind == 'memory' and xfer < 1 MiB, because: memory has no small calls}\n"
)


def plan_of(folder: Path, suite: str = SUITE, **overrides: object) -> Plan:
    targets = {"disk": TARGET, "memory": SECOND}
    return make_plan(load(make_checkout(folder, {"mine": suite}, targets=targets), **overrides))


def reasons(plan: Plan) -> dict[str, int]:
    return {item.reason: item.count for item in plan.exclusions}


def test_every_combination_is_a_cell(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    assert len(plan.cells) == plan.cost.points == 2 * 2 * 2 * 2
    assert len({cell.cell for cell in plan.cells}) == 16
    cell = next(cell for cell in plan.cells if cell.params["xfer_bytes"] == 16384)
    assert cell.params["block_bytes"] == 65536
    assert cell.params["access"] == ["write", "read"]
    assert (cell.rounds, cell.iterations, cell.timeout_s) == (2, 3, 60)


def test_cells_fit_their_schema(tmp_path: Path) -> None:
    schema = yaml.safe_load((ROOT / "config/schemas/cell.schema.yaml").read_text())
    data = plan_data(plan_of(tmp_path))
    for cell in (cell for batch in data["batches"] for cell in batch["cells"]):
        jsonschema.validate(cell, schema)


def test_rules_leave_out_with_their_reason(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, SUITE + RULES)
    assert reasons(plan) == {"one process needs no MPI": 4, "memory has no small calls": 3}
    assert plan.cost.excluded == 7
    assert len(plan.cells) == 16 - 7


def test_a_rule_of_the_suite_holds_for_all_experiments(tmp_path: Path) -> None:
    rule = "where: [{exclude: target.kind == 'memory', because: files only}]\nexperiments:\n"
    plan = plan_of(tmp_path, (SUITE + RULES).replace("experiments:\n", rule))
    assert reasons(plan) == {"files only": 8, "one process needs no MPI": 2}


def test_what_the_site_cannot_reach_is_said_in_one_line_each(tmp_path: Path) -> None:
    suite = SUITE.replace("nodes: [1]", "nodes: [1, 2, 4, 8]").replace("ppn: [1, 2]", "ppn: [1, 8, 16]")
    plan = plan_of(tmp_path, suite)
    assert reasons(plan) == {
        "needs more than the 2 nodes of site here": 2 * 2 * 3 * 4,
        "needs more than the 4 processes per node that site here allows (max_ppn)": 2 * 2 * 2 * 4,
    }
    assert {(cell.nodes, cell.ppn) for cell in plan.cells} == {(1, 1), (2, 1)}


def test_the_first_partition_that_fits_is_taken(tmp_path: Path) -> None:
    large = (
        "  large: {nodes: 8, cores_per_node: 2, launcher: srun, scheduler: slurm, stacks: [plain]}\nstacks:"
    )
    suite = SUITE.replace("nodes: [1]", "nodes: [1, 4]").replace("ppn: [1, 2]", "ppn: [1, 4]")
    root = make_checkout(tmp_path, {"mine": suite}, SITE.replace("stacks:\n", large + "\n", 1))
    plan = make_plan(load(root))
    assert {(batch.batch, batch.partition) for batch in plan.batches} == {
        ("disk-plain-1x1", "node"),
        ("disk-plain-1x4", "node"),
        ("disk-plain-4x1", "large"),
    }
    assert reasons(plan) == {"needs more than the 2 processes per node that site here allows (max_ppn)": 4}


def test_interfaces_and_programs_that_are_not_there(tmp_path: Path) -> None:
    suite = SUITE.replace("[POSIX, MPIIO]", "[POSIX, IME]")
    assert reasons(plan_of(tmp_path / "a", suite)) == {
        "target disk has no interface IME": 4,
        "target memory has no interface IME": 4,
    }
    site = SITE.replace("stacks: [plain]", "stacks: [plain, bare]") + "  bare: {programs: {other: [x]}}\n"
    root = make_checkout(tmp_path / "b", site=site.replace("other: [x]", "fake: [x]"))
    assert {cell.stack for cell in make_plan(load(root)).cells} == {"plain", "bare"}
    assert {cell.stack for cell in make_plan(load(root, stacks="bare")).cells} == {"bare"}


def test_a_suite_that_a_second_stack_doubles_is_told(tmp_path: Path) -> None:
    site = SITE.replace("stacks: [plain]", "stacks: [plain, new]") + "  new: {programs: {fake: [x]}}\n"
    note = "mine names no stacks: measured on each of plain, new; --stack NAME chooses one"
    assert note in make_plan(load(make_checkout(tmp_path / "a", site=site))).notes
    assert note not in make_plan(load(make_checkout(tmp_path / "b", site=site), stacks="new")).notes
    chosen = SUITE.replace("    nodes: [1]", "    stacks: [plain]\n    nodes: [1]")
    assert note not in make_plan(load(make_checkout(tmp_path / "c", {"mine": chosen}, site))).notes


def test_what_the_program_of_one_stack_cannot_do_is_excluded_there_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(cell: Cell, program: Sequence[str]) -> str | None:
        return "old-fake has no MPIIO" if program[0] == "old-fake" and cell.params["api"] == "MPIIO" else None

    monkeypatch.setattr(TOOLS["fake"], "unsupported", unsupported)
    site = SITE.replace("stacks: [plain]", "stacks: [plain, old]") + "  old: {programs: {fake: [old-fake]}}\n"
    plan = make_plan(load(make_checkout(tmp_path, site=site)))
    assert reasons(plan) == {"stack old: old-fake has no MPIIO": 4}
    assert {(cell.stack, cell.params["api"]) for cell in plan.cells} == {
        ("plain", "POSIX"),
        ("plain", "MPIIO"),
        ("old", "POSIX"),
    }


def test_a_target_that_some_stacks_reach(tmp_path: Path) -> None:
    site = SITE.replace("stacks: [plain]", "stacks: [plain, ime]") + "  ime: {programs: {fake: [x]}}\n"
    plan = make_plan(load(make_checkout(tmp_path, site=site, targets={"disk": TARGET + "stacks: [ime]\n"})))
    assert reasons(plan) == {"target disk is reached by the stack ime only": 8}
    assert {cell.stack for cell in plan.cells} == {"ime"}


def test_a_reason_of_the_tool_that_is_about_the_site_is_no_mistake_of_the_suite(tmp_path: Path) -> None:
    suite = SUITE.replace("[POSIX, MPIIO]", "[POSIX, IME]")
    root = make_checkout(
        tmp_path, {"mine": suite}, targets={"disk": TARGET.replace("apis: [POSIX, MPIIO]\n", "")}
    )
    plan = make_plan(load(root))
    assert reasons(plan) == {"target disk has no prefix ime://": 4}
    assert len(plan.cells) == 4


def test_a_cell_that_needs_more_space_than_allowed(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, SUITE.replace("4 * xfer", "1000 * xfer"))
    assert reasons(plan) == {
        "needs 1.95 GiB at a time, target disk allows 1 GiB": 2,
        "needs 1.95 GiB at a time, target memory allows 1 GiB": 2,
    }
    assert plan.cost.peak_bytes == 1000 * 2**20


def test_a_cell_that_needs_more_files_than_the_quota_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeTool, "footprint", lambda self, cell: Footprint(1, 1, 1, 1001, 1))
    for folder, quota, excluded in (("a", 1004, 8), ("b", 1005, 0)):  # weir itself makes 4
        root = make_checkout(tmp_path / folder, targets={"disk": TARGET + f"inodes: {quota}\n"})
        plan = make_plan(load(root))
        expected = {"needs 1,005 files at a time, target disk allows 1,004": excluded} if excluded else {}
        assert (reasons(plan), len(plan.cells)) == (expected, 8 - excluded)


@pytest.mark.parametrize(
    ("old", "new", "printed"),
    [
        (
            "[16 KiB, 1 MiB]",
            "[1 MiB, 3 MiB]",
            "mine.yaml:10: experiments.sizes.space.xfer[1]: no cell can have this",
        ),
        (
            "[16 KiB, 1 MiB]",
            "[3 MiB]",
            "mine.yaml:4: experiments.sizes: no point of it can run: the block is not",
        ),
    ],
)
def test_values_that_can_never_run_are_mistakes(tmp_path: Path, old: str, new: str, printed: str) -> None:
    suite = SUITE.replace('"= 4 * xfer"', "16 MiB").replace(old, new)
    with pytest.raises(ConfigError) as caught:
        plan_of(tmp_path, suite)
    assert printed in str(caught.value)
    assert "exclude it by a rule" in str(caught.value)
    assert len(caught.value.problems) == 1


def test_a_rule_makes_them_exclusions(tmp_path: Path) -> None:
    rule = "    where: [{exclude: block % xfer != 0, because: no whole number of calls}]\n"
    suite = SUITE.replace('"= 4 * xfer"', "16 MiB").replace("[16 KiB, 1 MiB]", "[1 MiB, 3 MiB]") + rule
    assert reasons(plan_of(tmp_path, suite)) == {"no whole number of calls": 8}


@pytest.mark.parametrize(
    ("formula", "printed"),
    [
        ("4 * xfer / 7", "which is not a whole number"),
        ("xfer // (ppn - 1)", "cannot be computed: integer division or modulo by zero"),
        ("xfer - 1 MiB", "is too small"),
        ("xfer if api == 'POSIX' else layout", "unknown name 'layout'"),
    ],
)
@pytest.mark.row("suite, contract")
def test_formulas_that_go_wrong(tmp_path: Path, formula: str, printed: str) -> None:
    with pytest.raises(ConfigError) as caught:
        plan_of(tmp_path, SUITE.replace("4 * xfer", formula))
    assert "mine.yaml:12: experiments.sizes.fixed.block: " in str(caught.value)
    assert printed in str(caught.value)


def test_the_mistakes_of_all_experiments_are_told_at_once(tmp_path: Path) -> None:
    one = SUITE.replace('"= 4 * xfer"', "17 B")
    two = one[one.index("  sizes:") :].replace("  sizes:", "  again:")
    with pytest.raises(ConfigError) as caught:
        plan_of(tmp_path, one + two)
    assert [problem.key for problem in caught.value.problems] == ["experiments.sizes", "experiments.again"]


def test_a_cell_that_two_experiments_ask_for_is_measured_once(tmp_path: Path) -> None:
    again = SUITE[SUITE.index("  sizes:") :].replace("  sizes:", "  again:").replace("rounds: 2", "rounds: 5")
    plan = plan_of(tmp_path, SUITE + again.replace("[16 KiB, 1 MiB]", "[1 MiB, 4 MiB]"))
    assert plan.cost.points == 32
    assert plan.cost.shared == len(plan.shared) == 8
    assert len(plan.cells) == 24
    assert {item.experiment for item in plan.shared} == {"again"}
    blocks = {cell.params["xfer_bytes"]: cell.rounds for cell in plan.cells if cell.experiment == "sizes"}
    assert blocks == {16384: 2, 2**20: 5}


def test_labels_are_unique_and_batches_are_by_allocation(tmp_path: Path) -> None:
    suite = SUITE.replace('block: "= 4 * xfer"', "stonewall: 0 s").replace(
        "xfer: [16 KiB, 1 MiB]", "block: [1 MiB, 2 MiB]\n      sync: [true, false]"
    )
    plan = plan_of(tmp_path, suite)
    assert len({cell.label for cell in plan.cells}) == len(plan.cells)
    assert "disk-plain-1x1 POSIX 1048576 block_bytes=1048576 sync=False" in {
        cell.label for cell in plan.cells
    }
    assert [batch.batch for batch in plan.batches] == [
        "disk-plain-1x1",
        "disk-plain-1x2",
        "memory-plain-1x1",
        "memory-plain-1x2",
    ]
    assert all(cell.label.startswith(f"{batch.batch} ") for batch in plan.batches for cell in batch.cells)
    assert plan.batch("disk-plain-1x2").executions == 16
    with pytest.raises(KeyError):
        plan.batch("disk-plain-9x9")


def test_cost_adds_up(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, targets="disk")
    # 2 interfaces x ranks 1 and 2 x blocks of 4 calls x 3 iterations x 2 executions
    moved_bytes = 2 * (1 + 2) * 4 * (16384 + 2**20) * 3 * 2
    assert (plan.cost.written_bytes, plan.cost.read_bytes) == (moved_bytes, moved_bytes)
    assert (plan.cost.cells, plan.cost.executions, plan.cost.measurements) == (8, 16, 48)
    assert plan.cost.peak_bytes == 2 * 4 * 2**20
    expected_s = 16 * 1.0 + moved_bytes / 2**20 / 100 + moved_bytes / 2**20 / 200
    assert plan.cost.estimated_s == pytest.approx(expected_s)
    assert sum(batch.estimated_s for batch in plan.batches) == pytest.approx(expected_s)
    assert plan.cost.low_node_hours < expected_s / 3600 < plan.cost.high_node_hours


def test_executions_that_weir_io_runs_share_launches(tmp_path: Path) -> None:
    site = SITE.replace('"{root}/bin/fake"', '"{root}/build/weir-io", fake')
    plan = make_plan(load(make_checkout(tmp_path, {"mine": SUITE.replace("rounds: 2", "rounds: 60")}, site)))
    assert [(batch.executions, batch.launches) for batch in plan.batches] == [(240, 2), (240, 2)]
    assert plan.cost.launches == 4
    bytes_s = plan.cost.written_bytes / 2**20 / 100 + plan.cost.read_bytes / 2**20 / 200
    assert plan.cost.low_s < bytes_s < plan.cost.estimated_s < plan.cost.high_s
    assert plan.cost.estimated_s - bytes_s == pytest.approx(4 * 1.0 + 480 * 0.1)
    alone = plan_of(tmp_path / "alone", targets="disk").cost
    assert alone.launches == alone.executions
    assert launches(shared=3, alone=2) == 5  # the random order puts them between one another


def test_node_hours_count_all_nodes(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, SUITE.replace("nodes: [1]", "nodes: [2]"))
    assert plan.cost.high_node_hours == pytest.approx(2 * plan.cost.high_s / 3600)


@pytest.mark.parametrize(
    "repetitions", ["{rounds: 1000000000}", "{rounds: 2, until: 5 %, at_most: 1000000000}"]
)
def test_more_executions_than_anybody_waits_for_are_refused_with_their_cost(
    tmp_path: Path, repetitions: str
) -> None:
    suite = SUITE.replace("{rounds: 2, iterations: 3}", repetitions)
    with pytest.raises(ConfigError) as refused:
        plan_of(tmp_path, suite)
    assert re.search(r"the plan has 16,000,000,000 executions up to here, about \d+ d", str(refused.value))
    assert "a plan has at most 1,000,000 executions" in str(refused.value)


def test_kinds_choose_targets_and_an_empty_choice_is_noted(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, SUITE + "    targets: {kind: [memory]}\n")
    assert {cell.target for cell in plan.cells} == {"memory"}
    empty = plan_of(tmp_path, SUITE + "    targets: {kind: [pool]}\n")
    assert empty.batches == ()
    assert empty.notes == ("mine/sizes: nothing to measure, none of the chosen targets is pool",)


def test_a_suite_without_the_scale_is_planned_in_full_and_noted(tmp_path: Path) -> None:
    other = SUITE.replace("suite: mine", "suite: other") + "scales: {quick: {ppn: [1]}}\n"
    root = make_checkout(
        tmp_path, {"mine": SUITE, "other": other}, config="site: here\nsuites: [mine, other]\n"
    )
    plan = make_plan(load(root, scale="quick"))
    assert plan.notes == ("mine has no scale quick: planned as it is written",)
    assert [suite.scale for suite in plan.suites] == ["full", "quick"]


def test_a_plan_reads_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, SUITE + RULES)
    path = tmp_path / "results" / "plan.json"
    write_plan(plan, path)
    assert read_plan(path) == plan
    assert json.loads(path.read_text()) == plan_data(plan)
    assert [file.name for file in path.parent.iterdir()] == ["plan.json"]


def test_the_same_plan_leaves_its_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_plan(plan_of(tmp_path), path)
    before = path.stat()
    write_plan(plan_of(tmp_path), path)
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 1}', '{"schema": 0, "cells": []}'])
def test_what_is_no_plan_is_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(WeirError, match="plan again"):
        read_plan(tmp_path / "plan.json")
    with pytest.raises(WeirError, match="cannot be read"):
        read_plan(tmp_path / "missing.json")
