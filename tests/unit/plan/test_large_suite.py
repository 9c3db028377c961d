"""A suite as large as a published study: three tools, three interfaces to one store, ten nodes."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.checkout import FakeTool, make_checkout
from weir.plan import Plan, make_plan
from weir.plan.config import load_config
from weir.tools.base import Parameter, Tool

SUITE = Path(__file__).with_name("burst_buffer.yaml").read_text()
SITE = """\
site: here
description: Ten nodes and a burst buffer
partitions:
  compute: {nodes: 10, cores_per_node: 8, launcher: srun, scheduler: slurm, time_limit: 8 h, stacks: [system]}
stacks:
  system:
    programs: {ior: [ior], netcdf-bench: [benchtool], io-model: [io-model]}
"""
DOORS = {
    "lustre": "kind: parallel\npath: /lustre/x/weir\napis: [POSIX, MPIIO]\nmax_stripe_count: 8\n",
    "mount": "kind: burst-buffer-fuse\npath: /ime/x/weir\napis: [POSIX, MPIIO]\n",
    "native": "kind: burst-buffer\npath: /ime/x/weir\nprefix: 'ime://'\napis: [IME, MPIIO]\n",
}


def tool(tool_name: str, **parameters: Parameter) -> Tool:
    class Named(FakeTool):
        name = tool_name

    named = Named()
    named.parameters = {**FakeTool.parameters, **parameters}
    return named


FLAG = Parameter("flag", "On or off.", False)
TOOLS: Mapping[str, Tool] = {
    "ior": tool(
        "ior",
        layout=Parameter("choice", "Files.", "shared", ("shared", "file-per-process")),
        order=Parameter("choice", "Offsets.", "sequential", ("sequential", "random")),
    ),
    "netcdf-bench": tool("netcdf-bench", chunked=FLAG, collective=FLAG),
    "io-model": tool(
        "io-model",
        order=Parameter("choice", "Offsets.", "sequential", ("sequential", "random")),
        operations=Parameter("count", "Operations.", 1),
    ),
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    targets = {name: f"target: {name}\ndescription: A door\n{text}" for name, text in DOORS.items()}
    config = "site: here\nsuites: [burst-buffer]\n"
    return make_checkout(tmp_path_factory.mktemp("large"), {"burst-buffer": SUITE}, SITE, targets, config)


@cache
def plan_at(checkout: Path, scale: str) -> Plan:
    return make_plan(load_config(root=checkout, overrides={"scale": scale}, environment={}, tools=TOOLS))


def cells_of(plan: Plan, experiment: str) -> int:
    return sum(cell.experiment == experiment for cell in plan.cells)


def test_it_fits_a_page() -> None:
    assert len(SUITE.splitlines()) <= 60


@pytest.mark.slow
def test_counts_of_the_whole_suite(checkout: Path) -> None:
    plan = plan_at(checkout, "full")
    geometries, rest = 10 * 8, 2 * 4 * 2  # orders, sizes, accesses
    # interfaces: POSIX 2 x 2 layouts; MPI-IO 3 x shared; native 2 layouts
    assert cells_of(plan, "bandwidth") == geometries * rest * (2 * 2 + 3 + 2)
    assert cells_of(plan, "netcdf") == 2 * 2 * 2 * 4
    assert cells_of(plan, "single-operations") == 2 * 2 * 2 * 2
    assert plan.cost.points == geometries * rest * 3 * 3 * 2 + 32 + 16
    assert {item.cause for item in plan.exclusions} == {"rule"}
    assert plan.cost.points == plan.cost.cells + plan.cost.excluded


@pytest.mark.slow
def test_formulas_know_the_target(checkout: Path) -> None:
    cells = [cell for cell in plan_at(checkout, "full").cells if cell.experiment == "bandwidth"]
    stripes = {(cell.target, cell.nodes): cell.params["stripe_count"] for cell in cells}
    assert [stripes["lustre", nodes] for nodes in (1, 3, 4, 10)] == [2, 6, 8, 8]
    assert stripes["mount", 10] == 0
    assert {cell.params["block_bytes"] // cell.params["xfer_bytes"] for cell in cells} == {100}


@pytest.mark.parametrize(("scale", "geometries"), [("half", 12), ("quick", 2)])
def test_smaller_scales(checkout: Path, scale: str, geometries: int) -> None:
    plan = plan_at(checkout, scale)
    assert cells_of(plan, "bandwidth") == geometries * 16 * 9
    assert plan.suites[0].scale == scale
    assert {(cell.nodes, cell.ppn) for cell in plan.cells if cell.tool == "io-model"} == {(1, 1)}
    assert {cell.rounds for cell in plan.cells if cell.experiment == "bandwidth"} == {
        3 if scale == "half" else 1
    }


def test_a_small_site_says_what_it_drops(checkout: Path, tmp_path: Path) -> None:
    small = SITE.replace("nodes: 10, cores_per_node: 8", "nodes: 1, cores_per_node: 2")
    targets = {"lustre": f"target: lustre\ndescription: A door\n{DOORS['lustre']}"}
    config = "site: here\nsuites: [burst-buffer]\n"
    plan = plan_at(make_checkout(tmp_path, {"burst-buffer": SUITE}, small, targets, config), "full")
    dropped = {item.reason for item in plan.exclusions if item.cause != "rule"}
    assert dropped == {
        "needs more than the 1 node of site here",
        "needs more than the 2 processes per node that site here allows (max_ppn)",
    }
    assert "burst-buffer/netcdf: nothing to measure, every combination is excluded" in plan.notes
