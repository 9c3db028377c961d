"""The planned cells of a study as a report states them, counted block by block, so that cells need not be
kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from weir.terms.model import Cell


@dataclass
class Planned:
    """Counts of cells, measured or not."""

    cells: int = 0
    executions: int = 0
    repetitions: list[dict[str, Any]] = field(default_factory=list)
    nodes: set[int] = field(default_factory=set)
    ppn: set[int] = field(default_factory=set)

    @classmethod
    def of_cells(cls, cells: Iterable[Cell]) -> Planned:
        planned = cls()
        for cell in cells:
            planned.cells += 1
            planned.executions += cell.rounds
            planned.nodes.add(cell.nodes)
            planned.ppn.add(cell.ppn)
            if cell.until:
                # The requests on the interval to which rounds are added.
                planned.repetitions.append(
                    {
                        "cell": cell.cell,
                        "rounds": cell.rounds,
                        "half_width": cell.until.half_width,
                        "at_most": cell.until.at_most,
                    }
                )
        return planned

    def add(self, counts: Mapping[str, Any]) -> None:
        """The result of data() for some more cells."""
        self.cells += counts["cells"]
        self.executions += counts["executions"]
        self.repetitions += counts["repetitions"]
        self.nodes.update(counts["nodes"])
        self.ppn.update(counts["ppn"])

    def data(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "cells": self.cells,
            "executions": self.executions,
            "repetitions": self.repetitions,
            "nodes": sorted(self.nodes),
            "ppn": sorted(self.ppn),
        }
