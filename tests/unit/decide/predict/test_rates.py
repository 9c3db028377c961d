"""The rate of a pattern that no cell was made for, and how sure it is."""

import random
from dataclasses import replace
from math import exp, log, log2

import pytest

from tests.unit.decide.predict.test_predict import MIB, row
from weir.decide.predict.rates import PLAIN, RatePoint, points_of, rate_of
from weir.statistics.inference import Mean

POSIX = ("POSIX", "shared", "sequential", False)
MPIIO = ("MPIIO", "shared", "sequential", False)
WANTED = RatePoint(POSIX, 1, 2, 256 * 1024, 64 * MIB)


def study(source: random.Random, spread: float, bend: float = 0.0, level: float = 6.0) -> list[RatePoint]:
    """Rates that grow by a tenth of the logarithm of the transfers; bend: an error of each cell."""
    points = []
    for group, sizes in ((POSIX, (10, 14, 17, 20, 21, 24)), (MPIIO, (21, 23))):
        for size in sizes:
            at = level + size / 10 + source.gauss(0, bend)
            logs = tuple(at + source.gauss(0, spread) for _ in range(6))
            points.append(RatePoint(group, 1, 2, 2**size, 64 * MIB, f"{group[0]}-{size}", logs))
    return points


def width(points: list[RatePoint], wanted: RatePoint) -> float:
    low, high = rate_of(points, wanted).interval()
    return high - low


def test_transfers_between_two_cells_are_interpolated() -> None:
    found = rate_of(study(random.Random(1), 0.001), WANTED)
    assert found.value == pytest.approx(6 + log2(256 * 1024) / 10, abs=0.02)


def test_the_curve_of_another_interface_carries_over() -> None:
    found = rate_of(study(random.Random(1), 0.001), replace(WANTED, group=MPIIO))
    assert found.cell.cell == "MPIIO-21"
    assert found.value == pytest.approx(6 + 1.8, abs=0.02)


def test_a_cell_without_its_group_predicts_nothing() -> None:
    other = ("POSIX", "file-per-process", "sequential", False)
    assert rate_of(study(random.Random(1), 0.1), replace(WANTED, group=other)) is None


def test_the_range_grows_with_the_runs_and_with_what_cells_do_not_tell() -> None:
    quiet, noisy = (width(study(random.Random(1), spread), WANTED) for spread in (0.01, 0.3))
    bent = width(study(random.Random(1), 0.01, bend=0.3), WANTED)
    assert quiet < 0.3
    assert noisy > 3 * quiet
    assert bent > 3 * quiet


def test_nine_of_ten_single_runs_are_within_the_range() -> None:
    """Of cells with an error of their own, as the one that is looked for has."""
    source, held, times = random.Random(1), 0, 400
    for _ in range(times):
        low, high = rate_of(study(source, 0.2, bend=0.15), WANTED).interval()
        truth = 6 + log2(WANTED.xfer_bytes) / 10 + source.gauss(0, 0.15) + source.gauss(0, 0.2)
        held += low <= truth <= high
    assert 0.87 < held / times < 0.97


def grown(source: random.Random) -> list[RatePoint]:
    """Rates that grow with the root of the transfers and of the processes."""
    return [
        RatePoint(
            *(POSIX, 1, ppn, 2**size, 64 * MIB, f"{ppn}-{size}"),
            logs=tuple(level_of(ppn, size) + source.gauss(0, 0.05) for _ in range(6)),
        )
        for ppn in (1, 2, 4)
        for size in range(14, 21)
    ]


def level_of(ppn: int, size: int) -> float:
    return 5 + (size + log2(ppn)) * log(2) / 2


@pytest.mark.parametrize(("ppn", "size"), [(2, 22), (2, 24), (2, 11), (16, 17), (64, 17), (16, 23)])
def test_the_range_holds_beyond_the_measured_transfers_and_processes(ppn: int, size: int) -> None:
    """The errors of steps between measured transfers stood for it: the range held none of these."""
    source, held = random.Random(1), 0
    for _ in range(20):
        low, high = rate_of(grown(source), RatePoint(POSIX, 1, ppn, 2**size, 64 * MIB)).interval()
        held += low <= level_of(ppn, size) + source.gauss(0, 0.05) <= high
    assert held >= 18


def test_a_step_between_measured_cells_is_as_sure_as_before() -> None:
    points = grown(random.Random(1))
    assert width(points, RatePoint(POSIX, 1, 2, 3 * 2**17, 64 * MIB)) < 0.3


def test_other_processes_are_never_as_sure_as_those_that_were_measured() -> None:
    """One number of processes tells nothing about another: its error is assumed, not that of transfers."""
    points = study(random.Random(1), 0.01)
    assert width(points, replace(WANTED, ppn=4)) > log(4) > width(points, WANTED)


def test_a_busier_hour_scales_and_widens() -> None:
    found = rate_of(study(random.Random(1), 0.02), WANTED)
    measured = Mean(found.cell.middle - log(2), 0.01, 3.0, 4)
    now = found.now(-log(2), measured, (0.25, 6.0))
    assert exp(now.value - found.value) == pytest.approx(0.5)
    low, high = now.interval()
    assert high - low > 1.5


@pytest.mark.parametrize("name", PLAIN)
def test_cells_that_are_not_plain_predict_nothing(name: str) -> None:
    """Such as those of a file that stays in the cache: without a synchronisation at the end."""
    other = {"sync": False, "direct": True, "iodepth": 8, "rate": 100, "rw_mix": 30, "zipf": 1.2}[name]
    assert len(points_of([row(), row(cell="other", **{name: other})])) == 1


def test_the_time_to_open_and_close_is_the_same_for_fewer_bytes() -> None:
    """64 MiB of each process in 1 s, of which 0.5 s are transfers: 16 MiB take 0.625 s."""
    timed = row(total_s=1.0, open_s=0.3, close_s=0.2, bw_mib_s=128.0)
    (plain,), (fewer,) = points_of([timed]), points_of([timed], 16 * MIB)
    assert exp(plain.middle) == pytest.approx(128.0)
    assert exp(fewer.middle) == pytest.approx(32 / 0.625)
