"""A step of the machine's clock in a run changes no order, deadline or verdict."""

from __future__ import annotations

import ast
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import weir
from weir.base.clock import steady_s, wall, wall_s
from weir.measure import loop
from weir.measure.document import now

PACKAGE = Path(weir.__file__).parent
# What may look at the clock itself, and why a step does no harm there.
BY_THE_WALL = {
    "base/clock.py": "takes it once, when the process begins",
    "records/costs.py": "the date of a line, which nothing reads",
    "report/live.py": "the time that a page shows",
    "commands/prove.py": "is compared with times of files, for a hint only; and the time of a record",
    "workflow/handover.py": "is compared with times of files: at most a failed batch is tried again",
    "measure/lock.py": "the time that a message about the holder shows",
    "measure/clean_up/custody.py": "is compared with times of files: a segment of a killed run may stay",
    "measure/clean_up/shared_memory.py": "as custody.py",
}


@pytest.fixture(params=[-600.0, 600.0])
def step(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> float:
    """From now on CLOCK_REALTIME is ten minutes off."""
    off_s: float = request.param
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + off_s)
    return off_s


def test_the_clock_of_a_process_runs_on(step: float) -> None:
    before_s, before = wall_s(), wall()
    assert abs(time.time() - before_s - step) < 60
    time.sleep(0.01)
    assert 0.01 <= wall_s() - before_s < 60
    assert 0 < (wall() - before).total_seconds() < 60


def test_it_is_the_wall_clock_until_it_is_set() -> None:
    assert abs(wall_s() - time.time()) < 1
    assert steady_s() > 0


def test_runs_before_and_after_the_step_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighbours in time are compared by when they began."""
    real, moments = time.time, [now()]
    for off_s in (-600.0, 600.0, -3600.0):
        monkeypatch.setattr(time, "time", lambda off_s=off_s: real() + off_s)
        moments.append(now())
    assert moments == sorted(moments)
    assert (moments[-1] - moments[0]).total_seconds() < 60


def test_the_end_of_an_allocation_is_where_it_was(step: float) -> None:
    """A program of a minute fits into ten, and one of an hour does not, whatever the clock shows."""
    ends_at = wall_s() + 600

    minute, hour = (SimpleNamespace(cell=SimpleNamespace(timeout_s=limit_s)) for limit_s in (60.0, 3600.0))
    assert loop._fitting([minute], ends_at, None) == [minute]  # type: ignore[comparison-overlap, list-item]
    assert loop._fitting([hour], ends_at, None) == []  # type: ignore[list-item]


def test_no_other_code_goes_by_a_clock_that_may_be_set() -> None:
    found = set()
    for file in sorted(PACKAGE.rglob("*.py")):
        name = str(file.relative_to(PACKAGE))
        if name.startswith("data/"):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            text = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
            if text in ("time.time", "time.time_ns", "datetime.now", "datetime.utcnow", "date.today"):
                found.add(name)
    assert found - {"report/bundle/crate.py"} == set(BY_THE_WALL), "use weir.base.clock"
