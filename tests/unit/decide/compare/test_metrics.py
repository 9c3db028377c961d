"""Metrics: the same files for commands and figures."""

import math
from pathlib import Path

import pytest

from tests.unit.conftest import RunWeir
from tests.unit.decide.compare.test_compare import cell, noisy, write, write_both
from weir.base.errors import WeirError
from weir.collect.metrics import metric_named, metric_names
from weir.decide.compare.estimate import PAIRED, Estimate
from weir.decide.compare.output import headline, sorted_for_reading
from weir.decide.compare.pairs import Pair
from weir.decide.compare.verdict import SAME, SLOWER, JudgedPair
from weir.records.model import Row

ROW = {"moved_bytes": 3 * 2**20, "io_s": 2.0, "bw_mib_s": 1.0, "total_s": 3.0, "ops_s": 7.0}


def test_the_first_formula_above_zero_counts() -> None:
    """As in the analysis: test-points.R."""
    rate, transfers = metric_named("rate"), metric_named("bandwidth-io")
    assert rate.of(ROW) == 1.0
    assert rate.of(ROW | {"bw_mib_s": None}) == rate.of(ROW | {"bw_mib_s": 0.0}) == 7.0
    assert rate.of({}) is None
    assert transfers.of(ROW) == transfers.of(ROW | {"moved_bytes": None}) == 1.5
    assert transfers.of(ROW | {"io_s": 0.0}) is None


@pytest.mark.parametrize("name", metric_names())
def test_every_metric_has_a_unit_and_a_number(name: str) -> None:
    metric = metric_named(name)
    row = ROW | {"lat_p50_us": 5.0, "lat_p99_us": 9.0}
    assert metric.unit
    assert math.isfinite(metric.of(row) or math.nan)
    assert not (metric.higher_is_better and name.startswith("p"))


def test_an_unknown_metric_is_an_error_with_a_hint() -> None:
    with pytest.raises(WeirError, match="there is no metric 'p98'"):
        metric_named("p98")


def latencies(seed: int, level: float, start: int) -> list[Row]:
    return [row | {"lat_p99_us": row["bw_mib_s"]} for row in cell(noisy(seed, 8, level), start=start)]


def test_a_slower_latency_fails_at_the_share_that_is_printed(tmp_path: Path, run_weir: RunWeir) -> None:
    """Four fifths more time is "slower by 80 %": beyond a limit of 50 %, though the rate has not halved."""
    both = write_both(tmp_path, latencies(1, 1000.0, 60), latencies(2, 1800.0, 120))
    command = ["compare", "--metric", "p99", *both, "--fail-on"]
    assert "; slower by 81 %" in run_weir(*command, "slower:50%", code=1).out
    run_weir(*command, "slower:75%")  # its interval reaches from 70 to 94 %
    run_weir(*command, "slower:150%")


@pytest.mark.parametrize(("level", "told"), [(996.5, "by 0.35 %"), (4.0, "by 99.6 %"), (0.4, "by 99.96 %")])
def test_a_difference_does_not_read_as_none_or_as_all(
    level: float, told: str, tmp_path: Path, run_weir: RunWeir
) -> None:
    rows = (
        cell([rate * (1 + at % 3 / 1e5) for at in range(8)], start=60 * side)
        for side, rate in enumerate((1000.0, level))
    )
    printed = run_weir("compare", *write_both(tmp_path, *rows), "--margin", "0.1%").out
    assert told in printed.splitlines()[0]
    assert "x0.000 " not in printed


def test_a_percentile_of_fewer_operations_than_a_hundred_is_not_compared(
    tmp_path: Path, run_weir: RunWeir
) -> None:
    """It is their maximum. Where their number is not known it counts."""
    both = latencies(1, 1000.0, 60), latencies(2, 1800.0, 120)
    for ops, verdict in ((99, "undecided"), (100, "slower")):
        files = write_both(tmp_path, *([row | {"ops": ops} for row in rows] for rows in both))
        printed = run_weir("compare", "--metric", "p99", *files).out
        assert f"1 {verdict}" in printed
        assert ("16 records not used: no p99 of fewer than 100 operations" in printed) is (ops < 100)


def test_real_storage_stands_before_emulated() -> None:
    def judged(label: str, ratio: float, verdict: str) -> JudgedPair:
        pair = Pair(label, "write", {}, (), (), {}, emulated=label.endswith("(E)"))
        found = Estimate(math.log(ratio), 1e-6, 9.0, PAIRED, (8, 8), 1e-6)
        return JudgedPair(pair, found, verdict, 0.0, None, ())

    buffer = judged("ime (E)", 0.2, SLOWER)
    found = sorted_for_reading([buffer, judged("disk", 0.8, SLOWER), judged("lustre", 1.0, SAME)])
    assert [one.pair.label for one in found] == ["disk", "lustre", "ime (E)"]
    none = "0 faster, 0 undecided"
    emulated = f"1 pair of emulated storage: 1 slower, {none}, 0 no difference within ±5%; slower by 80 %"
    real = f"2 pairs: 1 slower, {none}, 1 no difference within ±5%; slower by 20 %"
    assert headline(found, 0.05) == f"{real}; {emulated}"
    assert headline([buffer], 0.05) == emulated


def test_a_rate_cannot_be_slower_by_all_of_it(tmp_path: Path, run_weir: RunWeir) -> None:
    """A traceback would end with 1, which is "slower"."""
    file = str(write(tmp_path / "a.csv", cell(noisy(1, 8))))
    error = run_weir("compare", file, file, "--fail-on", "slower:100%", code=2).err
    assert "a rate that halves is slower by 50 %" in error
