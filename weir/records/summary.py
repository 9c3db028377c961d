"""Counts of records, for people and for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weir.audit.judge import UNPROVEN, VERDICTS
from weir.model import Row


def summarise(rows: Sequence[Row], out: Path) -> dict[str, Any]:
    """Records by verdict, by reason, and of the unproven ones by the evidence that lacks."""
    verdicts = Counter(row["verdict"] for row in rows)
    reasons = Counter(reason for row in rows for reason in row["reasons"].split(";") if reason)
    unproven = [row for row in rows if row["verdict"] == UNPROVEN]
    missing = Counter(name for row in unproven for name in (row.get("missing") or "").split(";") if name)
    return {
        "out": str(out),
        "records": len(rows),
        "cells": len({row["cell"] for row in rows}),
        "verdicts": {verdict: verdicts[verdict] for verdict in VERDICTS},
        "reasons": dict(reasons.most_common()),
        "missing": dict(missing.most_common()),
    }


def describe(summary: Mapping[str, Any]) -> str:
    """One line of counts, then the reasons and the evidence that lacks."""
    counts = ", ".join(f"{count} {verdict}" for verdict, count in summary["verdicts"].items())
    lines = [f"{summary['out']}: {summary['records']} records of {summary['cells']} cells: {counts}"]
    lines += [f"  {count:6d} x {reason}" for reason, count in summary["reasons"].items()]
    lines += [f"  {count:6d} without evidence: {name}" for name, count in summary["missing"].items()]
    return "\n".join(lines)
