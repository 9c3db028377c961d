"""The standing of single cells as sentences and as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from weir.decide.io500.cells import RANDOM_READ, Standing
from weir.decide.io500.standing import Place

# Among fewer, a percentile would promise a resolution that is not there.
_FEWEST = 20
_WHAT = {"whole": "", "node": "per node ", "process": "per process "}
_MOST_REASONS = 12


def cell_lines(found: Sequence[Standing]) -> Iterator[str]:
    """A sentence for each comparable cell; the others are counted by reason."""
    ranked = [one for one in found if one.places]
    for one in ranked:
        value = f"{one.value:,.4g} {one.unit}, median of {_runs(one.runs)}"
        yield f"{one.label or one.cell}, {one.access}: {value}"
        for per, place in one.places.items():
            yield f"  {_WHAT[per]}{_standing(place)} {_of(one.phase)}{_on_ime(place)}"
    if not ranked:
        yield "no cell is comparable with a phase of IO500"
    reasons = Counter(one.why_not for one in found if not one.places)
    if reasons:
        yield f"not ranked: {sum(reasons.values())} of {len(found)} accesses of cells"
    for reason, count in reasons.most_common(_MOST_REASONS):
        yield f"  {count:5d}  {reason}"
    if len(reasons) > _MOST_REASONS:
        yield f"  and {len(reasons) - _MOST_REASONS} more reasons (--json has all)"


def _runs(count: int) -> str:
    return f"{count} run{'' if count == 1 else 's'}"


def _standing(place: Place) -> str:
    if place.submissions < _FEWEST:
        return f"above {place.below} of {place.submissions} published values of"
    return f"at the {ordinal(place.percentile)} percentile of {place.submissions} published values of"


def ordinal(percentile: float) -> str:
    """62nd; never the 0th or 100th, which would exclude all values that nobody published."""
    whole = min(99, max(1, round(percentile)))
    teen = 10 <= whole % 100 <= 20
    return f"{whole}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(whole % 10, 'th')}"


def _of(phase: str) -> str:
    return "random reads of 4 KiB without doubt" if phase == RANDOM_READ else phase


def _on_ime(place: Place) -> str:
    return f"; above {place.ime_below} of {place.ime} on IME" if place.ime else ""


def cell_facts(found: Sequence[Standing]) -> list[dict[str, Any]]:
    """The same as plain values."""
    return [
        vars(one) | {"places": {per: vars(place) for per, place in one.places.items()} or None}
        for one in found
    ]
