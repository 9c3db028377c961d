"""A prediction as text and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from weir.decide.predict.application import Application
from weir.decide.predict.forecast import Forecast, Times, error, whole


def lines_of(application: Application, found: Mapping[str, Sequence[Forecast]]) -> Iterator[str]:
    times = (f"{target} {_words(whole(each, 'predicted'))}" for target, each in found.items())
    yield f"{application.name}: {', '.join(times)}"
    yield from [application.description] if application.description else []
    for target, each in found.items():
        yield ""
        yield f"{target}"
        yield f"  {'phase':<10}{'predicted':<28}{'measured':<28}error"
        for one in each:
            yield _line(one.phase.name, one.predicted, one.measured)
            yield from (f"    nearest cell: {far}" for far in one.far)
        yield _line("all", whole(each, "predicted"), whole(each, "measured"))
        yield from _test_lines(each)
    yield ""
    yield "in brackets: predicted, nine of ten runs; measured, all runs; range of the error: from both"


def _test_lines(each: Sequence[Forecast]) -> Iterator[str]:
    """The results of the test of the prediction: cells with the parameters of the phases."""
    tested = [one for one in each if one.tested]
    if not tested:
        return
    yield f"  {'tested':<10}{'predicted':<28}{'measured now':<28}error"
    for one in tested:
        yield _line(one.phase.name, one.predicted, one.tested)
    yield _line("all", whole(each, "predicted"), whole(each, "tested"))


def _line(name: str, predicted: Times | None, measured: Times | None) -> str:
    line = f"  {name:<10}{_words(predicted):<28}{_words(measured):<28}"
    if predicted is None or measured is None:
        return line.rstrip()
    value, low, high = error(predicted, measured)
    return f"{line}{value:+.0%} ({low:+.0%} to {high:+.0%})"


def _words(times: Times | None) -> str:
    return f"{times.median_s:.3g} s ({times.low_s:.3g}-{times.high_s:.3g})" if times else "unknown"


def facts_of(one: Forecast) -> dict[str, Any]:
    return {
        "phase": one.phase.name,
        "predicted": vars(one.predicted) if one.predicted else None,
        "measured": vars(one.measured) if one.measured else None,
        "error": error(one.predicted, one.measured) if one.predicted and one.measured else None,
        "tested": vars(one.tested) if one.tested else None,
        "error_of_test": error(one.predicted, one.tested) if one.predicted and one.tested else None,
        "cell": one.cell,
        "label": one.label,
        "far": list(one.far),
    }
