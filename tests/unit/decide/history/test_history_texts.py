"""The texts of weir history: a headline, incidents, and no more lines than a screen has."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.unit.conftest import RunWeir
from tests.unit.decide.history.test_history import level, series, steps, table_of
from weir.base.units import ratio_text
from weir.decide.history.band import SLOWER, BandVerdict, _size, judge_newest
from weir.decide.history.output import as_text, show_text
from weir.decide.history.series import Series


def test_the_headline_has_the_size_of_the_line_and_never_that_of_no_change() -> None:
    logs = np.log(np.repeat([1000.0, 1000.0, 700.0], [60, 9, 5]))
    assert _size(logs, 60, -0.05) == -0.05  # medians of few slow points tell no change
    assert _size(logs, 69, -0.05) == pytest.approx(np.log(0.7))
    found = judge_newest(series(steps((27, 100), (28, 3, 600.0))), 3)
    assert found.verdict == SLOWER
    step = judge_newest(series(steps((25, 100), (26, 10, 700.0))), 14)
    assert step.change
    for one in (found, step):
        headline, text = as_text([one]).splitlines()[:2]
        assert f"x{ratio_text(one.news_ratio)} since {one.news_day}" in headline
        assert f"x{ratio_text(one.news_ratio)}" in text


def test_emulated_storage_is_counted_apart_and_stands_after_real() -> None:
    def judged(values: np.ndarray, name: str) -> tuple[Series, BandVerdict]:
        one = replace(series(values, name), emulated="(E)" in name)
        return one, judge_newest(one, 14)

    lows = {"ime (E)": 300.0, "disk": 700.0}
    slow = [judged(steps((1, 100), (2, 10, low)), name) for name, low in lows.items()]
    text = as_text([one for _, one in slow])
    assert re.match(
        r"1 of 1 series slower, disk: .*; of emulated storage 1 of 1 series slower, ime \(E\): ", text
    )
    changed = "1 of 1 series changed its level; the latest disk: .*; of emulated storage 1 of 1 "
    assert re.match(changed, show_text(slow))
    quiet = [judged(level(3, 100, high), name) for name, high in {"ime (E)": 9000.0, "disk": 50.0}.items()]
    assert re.match(r"0 of 1 series slower: newest [45]\d\.?\d?;", as_text([one for _, one in quiet]))
    assert re.search(r"medians (49|5)\.?\d?;", show_text(quiet))
    mixed = as_text([slow[0][1], quiet[1][1]], everything=True).splitlines()
    assert mixed[0].startswith("0 of 1 series slower: newest ")
    assert [line.split()[1] for line in mixed[1:]] == ["disk:", "ime"]


def test_series_that_move_on_the_same_day_are_one_incident() -> None:
    found = [
        judge_newest(series(steps((30 + at, 100), (60 + at, 10, 700.0)), f"s{at}"), 14) for at in range(5)
    ]
    found.append(judge_newest(series(steps((1, 102), (2, 8, 1500.0)), "fast"), 14))
    text = as_text(found).splitlines()
    worst = r"the worst s\d: [67]\d\d, x0\.(6[89]|7[01])\d since 1970-04-1"
    assert re.match(f"5 of 6 series slower, {worst}", text[0])
    assert text[0].endswith("; 1 faster")
    assert text[1].startswith("one incident: 5 series slower since 1970-04-1")
    assert re.search(r"at x0\.(6[89]|7[01])\d to x0\.(69|7[0-2])\d of before$", text[1])
    assert not text[2].startswith("one incident")


@pytest.mark.parametrize(("moved", "more"), [(2, 0), (30, 0), (40, 10)])
def test_a_check_of_many_series_has_an_end(tmp_path: Path, run_weir: RunWeir, moved: int, more: int) -> None:
    values = steps((0, 40), (100, 10, 700.0))
    table = table_of(tmp_path, {str(number): values for number in range(moved)})
    command = ["history", "check", table, "--key", "target"]
    every = run_weir(*command, "--all", code=1).out.splitlines()
    assert every[0].startswith(f"{moved} of {moved} series slower")
    assert len(every) == 1 + moved
    expected = every if not more else [*every[:31], f"and {more} more: --all"]
    assert run_weir(*command, code=1).out.splitlines() == expected


def test_systems_that_move_on_the_same_day_are_incidents_of_their_own(
    tmp_path: Path, run_weir: RunWeir
) -> None:
    values = {}
    for system in ("edison", "mira"):
        for number in range(2):
            seed = 200 + 10 * number + len(system)
            values[f"{system},{number}"] = steps((seed, 100), (seed + 40, 10, 700.0))
    table = table_of(tmp_path, values, keys="system,cell")
    printed = run_weir("history", "check", table, "--key", "system", "--key", "cell", code=1).out
    assert printed.count("one incident: 2 series of ") == 2
    assert "2 series of edison slower since" in printed
