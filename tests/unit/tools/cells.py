"""A cell of any tool, with the tool's defaults and what a test asks for."""

from __future__ import annotations

from typing import Any

from weir.plan.config.parameters import cell_default, cell_key
from weir.terms.model import Cell
from weir.tools.base import Tool


def cell_of(tool: Tool, *, iterations: int = 1, nodes: int = 1, ppn: int = 1, **params: Any) -> Cell:
    defaults = {cell_key(name, one): cell_default(one) for name, one in tool.parameters.items()}
    assert set(params) <= set(defaults)
    return Cell(
        cell="0123456789ab",
        label="this one",
        suite="quick",
        experiment="test",
        tool=tool.name,
        site="local",
        target="disk",
        stack="debian",
        partition="here",
        nodes=nodes,
        ppn=ppn,
        rounds=1,
        iterations=iterations,
        timeout_s=60.0,
        params=defaults | params,
    )
