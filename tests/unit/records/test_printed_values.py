"""What printed numbers can stand for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weir.records.printed_values import half_digit, iso_time, product_contains


@pytest.mark.parametrize(
    ("value", "half"),
    [(1.44, 0.005), (7667.0, 0.5), (0.0381, 0.00005), (0.000024, 5e-7), (2e-6, 5e-7), (0.0, 0.5)],
)
def test_half_digit(value: float, half: float) -> None:
    assert half_digit(value) == pytest.approx(half)


@given(st.integers(1, 2**45), st.floats(1e-3, 4000.0))
def test_a_rounded_bandwidth_still_fits(moved_bytes: int, total_s: float) -> None:
    """IOR's way to print: six digits below 1, two below 3600, none above."""
    moved_mib = moved_bytes / 2**20

    def printed(value: float) -> float:
        return float(f"{value:.{6 if value < 1 else 2 if value < 3600 else 0}f}")

    assert product_contains(printed(moved_mib / total_s), printed(total_s), moved_mib)


def test_a_wrong_product_does_not_fit() -> None:
    assert not product_contains(1000.0, 61.3, 2000.0)
    assert not product_contains(1000.123, 2.01, 2021.0)


def test_times() -> None:
    assert iso_time("Wed Oct 24 01:23:25 2018") == "2018-10-24T01:23:25"
    assert iso_time("2026-11-20T21:00:00.1Z") == "2026-11-20T21:00:00.1Z"
    assert iso_time("") is None
