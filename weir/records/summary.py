"""Counts of records, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weir.model import Row
from weir.records.tally import Tally


def summarise(rows: Sequence[Row], out: Path) -> dict[str, Any]:
    """Records by verdict, by reason, and of the unproven ones by the evidence that is missing."""
    return {"out": str(out), **Tally.of_rows(rows).summary()}


def describe(summary: Mapping[str, Any]) -> str:
    """One line of counts, then the reasons and the missing evidence."""
    counts = ", ".join(f"{count} {verdict}" for verdict, count in summary["verdicts"].items())
    lines = [f"{summary['out']}: {summary['records']} records of {summary['cells']} cells: {counts}"]
    if authors := summary["authors_verdicts"]:
        lines.append(f"  {authors:6d} with the verdict of the table's author, not of this audit")
    lines += [f"  {count:6d} x {reason}" for reason, count in summary["reasons"].items()]
    lines += [f"  {count:6d} without evidence: {name}" for name, count in summary["missing"].items()]
    return "\n".join(lines)
