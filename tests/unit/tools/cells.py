"""A cell of any tool, with the tool's defaults and what a test asks for; and where it runs."""

from pathlib import Path
from typing import Any

from tests.checkout import plain_cell
from weir.plan.config.parameters import cell_default, cell_key
from weir.records.model import Cell, Target
from weir.tools.base import RunPaths, Tool

DISK = Target("disk", "disk", "/data")
NATIVE = Target("native", "burst-buffer", "/ime", prefix="ime://")
PATHS = RunPaths("/data/run/data", Path("/results/000"))


def cell_of(tool: Tool, *, iterations: int = 1, nodes: int = 1, ppn: int = 1, **params: Any) -> Cell:
    defaults = {cell_key(name, one): cell_default(one) for name, one in tool.parameters.items()}
    assert set(params) <= set(defaults)
    shape = {"iterations": iterations, "nodes": nodes, "ppn": ppn}
    return plain_cell(tool=tool.name, params=defaults | params, **shape)


def command_of(tool: Tool, one: Cell, *program: str) -> str:
    """Its command line on the disk, in one text."""
    return " ".join(tool.command(one, DISK, program, PATHS))


def assert_problem(tool: Tool, one: Cell, phrase: str) -> None:
    """The tool refuses it on the disk, with this phrase."""
    problems = tool.problems(one, DISK)
    assert any(phrase in problem for problem in problems), problems
