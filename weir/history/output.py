"""Findings of a history as text, JUnit and plain values."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from math import exp
from typing import Any

from weir.history.band import FASTER, LEARNING, NORMAL, SLOWER, SPIKE, Judgement
from weir.history.regimes import Change
from weir.history.series import Series

ORDER = (SLOWER, SPIKE, FASTER, LEARNING, NORMAL)


def headline(found: Sequence[Judgement]) -> str:
    counts = Counter(one.verdict for one in found)
    return f"{len(found)} series: " + ", ".join(f"{counts[verdict]} {verdict}" for verdict in ORDER)


def as_text(found: Sequence[Judgement], everything: bool = False) -> str:
    """The findings; with everything also what is normal."""
    ordered = sorted(found, key=lambda one: (ORDER.index(one.verdict), one.series))
    shown = [one for one in ordered if everything or one.verdict not in (NORMAL, LEARNING)]
    return "\n".join([headline(found), *(f"  {line(one)}" for one in shown)])


def line(one: Judgement) -> str:
    text = f"{one.verdict:<8} {one.series}: {one.value:,.6g} on {one.day}"
    if one.change is not None and one.recent:
        text += f"; {change_text(one.change)}"
    if one.band is not None:
        text += (
            f"; band {one.band.low:,.6g}–{one.band.high:,.6g}, n = {one.band.points} since {one.band.since}"
        )
        text += f", trend x{one.band.trend:.2f} a year" if one.band.trend else ""
        text += ", allows for the day of the week" if one.band.rhythm else ""
    elif one.verdict == LEARNING:
        text += "; fewer than ten points at this level"
    return text


def change_text(change: Change) -> str:
    low, high = change.interval
    return f"changed on {change.day} by x{change.ratio:.3f} [{low:.3f}–{high:.3f}]"


def as_junit(found: Sequence[Judgement]) -> str:
    """A test case for each series; learning ones are skipped."""
    suite = ElementTree.Element("testsuite", name="weir history check", tests=str(len(found)))
    for one in found:
        case = ElementTree.SubElement(suite, "testcase", classname="history", name=one.series)
        if one.is_finding:
            ElementTree.SubElement(case, "failure", message=line(one))
        elif one.verdict == LEARNING:
            ElementTree.SubElement(case, "skipped", message=line(one))
    suite.set("failures", str(sum(one.is_finding for one in found)))
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def facts(one: Judgement) -> dict[str, Any]:
    return asdict(one)


def regimes_text(series: Series, found: Judgement) -> str:
    """The levels of one series and what lies between them."""
    lines = [f"{series.name}: {len(series)} points, {series.day(0)} to {series.day(len(series) - 1)}"]
    before: list[Change | None] = [None, *found.changes]
    for regime, change in zip(found.regimes, before, strict=True):
        if change is not None:
            lines.append(f"    {change_text(change)}")
        level = exp(regime.level)
        lines.append(
            f"  median {level:,.6g} from {series.day(regime.start)}, {regime.end - regime.start} points"
        )
    return "\n".join(lines)
