"""How weir accept decides: a median by its own interval, the best of many cells, and looking again."""

import random
from dataclasses import replace

import pytest

from bench.decisions import SPREAD, judged
from tests.unit.statistics.test_inference import series, three_errors
from weir.decide.accept.contract import Promise
from weir.decide.accept.judge import FAIL, NOT_PROVEN, PASS
from weir.decide.accept.output import numbers
from weir.statistics.median import ASSUMED, level_of_look


def at_the_limit(source: random.Random, count: int) -> list[float]:
    return [SPREAD * value for value in series(source, count, ASSUMED)]


def test_the_best_of_many_cells_at_the_limit_rarely_passes() -> None:
    source, times = random.Random(1), 100
    passed = sum(
        judged([at_the_limit(source, 5) for _ in range(12)], takes_best=True).verdict == PASS
        for _ in range(times)
    )
    assert passed / times <= three_errors(0.025, times)


def test_the_best_of_cells_fails_only_if_none_of_them_can_reach_the_promise() -> None:
    low, wide = [-0.5, -0.51, -0.49, -0.5, -0.5], [-0.1, 0.1, -0.3, 0.2, 0.0]
    assert judged([low, low], takes_best=True).verdict == FAIL
    assert judged([low, wide], takes_best=True).verdict == NOT_PROVEN
    high = [0.5, 0.51, 0.49, 0.5, 0.5]
    found = judged([low, high, wide], takes_best=True)
    assert (found.verdict, found.value.cells) == (PASS, 3)
    alone = judged([high])
    assert found.value.interval[0] < alone.value.interval[0]


@pytest.mark.slow
def test_looking_after_each_run_rarely_passes_at_the_limit() -> None:
    source, times, passed = random.Random(2), 40, 0
    for _ in range(times):
        logs = at_the_limit(source, 20)
        looks = enumerate(range(3, 21), start=1)
        passed += any(judged([logs[:runs]], look).verdict == PASS for look, runs in looks)
    assert passed / times <= three_errors(0.025, times)


def test_a_later_look_has_a_wider_interval_and_its_level_is_printed() -> None:
    logs = [0.10, 0.02, 0.07, 0.12, 0.04, 0.08]
    first, third = judged([logs]), judged([logs], look=3)
    assert third.value.level == level_of_look(3) > first.value.level
    assert third.value.interval[0] < first.value.interval[0]


def test_fast_runs_do_not_carry_a_promise_about_the_median() -> None:
    source = random.Random(3)
    for count in (10, 20):
        passed = 0
        for _ in range(50):
            logs = [source.gauss(-0.03, 0.01) + (0.3 if source.random() < 0.2 else 0.0) for _ in range(count)]
            passed += judged([logs], statistic="median").verdict == PASS
        assert passed / 50 <= three_errors(0.025, 50)


def test_a_median_of_too_few_runs_tells_how_many_it_needs() -> None:
    few = judged([[0.5, 0.53, 0.51, 0.54, 0.52]], statistic="median")
    assert few.verdict == NOT_PROVEN
    assert "no 97 % interval of the median of 5 runs: measure 9 or more" in few.why
    enough = judged([[0.5 + run % 2 / 100 for run in range(9)]], statistic="median")
    assert enough.verdict == PASS


def test_the_runs_that_would_decide_would() -> None:
    """With the same spread, at the next look."""
    logs = [0.03, -0.01, 0.05, 0.0, 0.02]
    found = judged([logs])
    assert found.verdict == NOT_PROVEN
    more = int(found.why.partition("about ")[2].split()[0])
    whole = (logs * (1 + more // len(logs) + 1))[: len(logs) + more + 3]
    assert judged([whole], look=2).verdict == PASS


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_a_value_that_is_the_promise_reaches_it(statistic: str) -> None:
    """The logarithm of 1,000 and back is 999.9999999999998, which missed a promise of 1,000."""
    found = judged([[0.0] * 9], statistic=statistic)
    assert (found.verdict, found.margin) == (PASS, 0.0)
    assert "1,000 [1,000–1,000] MiB/s, n = 9; promised 1000 MiB/s (1,000 MiB/s); margin +0.0%" in numbers(
        found
    )
    assert judged([[-1e-9] * 9], statistic=statistic).verdict == FAIL


def test_twice_the_promised_time_is_worse_by_all_of_it() -> None:
    """10 ms were 50 % worse than 5 ms."""
    found = judged([[0.0] * 5])
    of_latency = replace(found.line, promise=Promise("p99", "mean", True, 500.0, "500 us"))
    assert replace(found, line=of_latency).margin == pytest.approx(-1.0)


def test_a_value_that_misses_the_promise_does_not_read_as_it() -> None:
    """999.97 and 1,000 were both printed as 1000, beside a verdict of fail and a margin of -0.0 %."""
    found = judged([[-3e-5, -3e-5]])
    assert found.verdict == FAIL
    value = "mean 999.97 [999.97–999.97] MiB/s, n = 2"
    promised = "promised 1000 MiB/s (1,000.00 MiB/s); margin -0.003% [-0.003% to -0.003%]"
    assert numbers(found).startswith(f"{value}; {promised}")
