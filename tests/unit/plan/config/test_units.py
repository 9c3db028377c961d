"""weir/base/units.py"""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weir.base.units import (
    SIZE_UNITS,
    HintedError,
    about_duration,
    about_size,
    counted,
    few,
    format_size,
    latency_text,
    number_list,
    parse_duration,
    parse_rate,
    parse_size,
    ratio_text,
    signed_percent,
    sizes,
    sizes_and_percent,
    three_digits,
)


@pytest.mark.parametrize(
    ("written", "size_bytes"),
    [
        ("16 KiB", 16384),
        ("1MiB", 2**20),
        ("47008 B", 47008),
        ("1 MB", 10**6),
        ("1.5 GiB", 3 * 2**29),
        ("0.1 kB", 100),
        ("2 PiB", 2**51),
    ],
)
def test_sizes(written: str, size_bytes: int) -> None:
    assert parse_size(written) == size_bytes


@pytest.mark.parametrize(
    ("written", "message", "hint"),
    [
        (16384, "16384 has no unit", "write '16 KiB' (16384 bytes)"),
        (100, "100 has no unit", "write '100 B', '100 KiB' or '100 MiB'"),
        ("16", "'16' is not a size", "write a number and a unit"),
        ("16 K", "unknown unit 'K'", "did you mean '16 KiB' (16384 bytes) or '16 kB' (16000 bytes)?"),
        ("16 KB", "unknown unit 'KB'", "did you mean '16 KiB' (16384 bytes) or '16 kB' (16000 bytes)?"),
        ("16 kib", "unknown unit 'kib'", "did you mean '16 KiB' (16384 bytes)?"),
        ("1.5 m", "unknown unit 'm'", "did you mean '1.5 MiB' (1572864 bytes) or '1.5 MB' (1500000 bytes)?"),
        ("1 bananas", "unknown unit 'bananas'", "units: B, KiB"),
        ("-1 MiB", "'-1 MiB' is not a size", "write a number and a unit"),
        ("0.3 B", "not a whole number of bytes", "write 0 B"),
        (True, "True is not a size", "write a number and a unit"),
        (None, "None is not a size", "write a number and a unit"),
    ],
)
def test_wrong_sizes_say_what_to_write(written: object, message: str, hint: str) -> None:
    with pytest.raises(HintedError) as caught:
        parse_size(written)
    assert message in str(caught.value)
    assert hint in caught.value.hint


def test_durations_and_rates() -> None:
    assert parse_duration("60 s") == 60
    assert parse_duration("5 min") == 300
    assert parse_duration("1.5 h") == 5400
    assert parse_duration("200 ms") == 0.2
    assert parse_rate("500 MiB/s") == 500
    assert parse_rate("1 GB/s") == pytest.approx(953.67, abs=0.01)


@pytest.mark.parametrize(
    ("parse", "written", "hint"),
    [
        (parse_duration, 60, "write '60 s' or '60 min'"),
        (parse_duration, "60 seconds", "did you mean '60 s'?"),
        (parse_duration, "5 m", "did you mean '5 min'?"),
        (parse_duration, "5 MiB", "units: us, ms, s, min, h, d"),
        (parse_rate, "500 MiB", "write it like 500 MiB/s"),
        (parse_rate, 500, "write it like 500 MiB/s"),
    ],
)
def test_wrong_durations_and_rates(parse, written: object, hint: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(HintedError) as caught:
        parse(written)
    assert hint in caught.value.hint


@pytest.mark.slow
@given(st.integers(min_value=0, max_value=2**60))
def test_format_size_reads_back_unchanged(size_bytes: int) -> None:
    assert parse_size(format_size(size_bytes)) == size_bytes


def test_lists_of_numbers() -> None:
    texts = [number_list(numbers) for numbers in ([2], [2, 3], [2, 3, 4], [1, 2, 4, 6, 7, 8])]
    assert texts == ["2", "2 and 3", "2 to 4", "1, 2, 4 and 6 to 8"]


def test_for_reading() -> None:
    assert about_size(1023) == "1023 B"
    assert about_size(8_000_000_000) == "7.45 GiB"
    assert about_size(300 * 2**20) == "300 MiB"
    assert about_duration(3.84) == "3.8 s"
    assert about_duration(59.7) == "1 min"
    assert about_duration(200) == "3 min 20 s"
    assert about_duration(3599.9) == "1 h"
    assert about_duration(90000) == "1 d 1 h"


@pytest.mark.parametrize(
    ("text_of", "value", "shown"),
    [
        # No exponent.
        (three_digits, 1449.5, "1,450"),
        (three_digits, 99.96, "100"),
        (three_digits, 12.0, "12"),
        (three_digits, 12.25, "12.3"),
        (three_digits, 0.0123, "0.0123"),
        (three_digits, 0.000012345, "0.0000123"),
        (three_digits, 0.5, "0.5"),
        (three_digits, 10.0, "10"),
        (three_digits, 0.0, "0"),
        # Nothing or all only where it is, as whole_percent() of analysis/R/labels.R.
        (signed_percent, 0.0, "+0%"),
        (signed_percent, 0.0035, "+0.35%"),
        (signed_percent, -0.004, "-0.4%"),
        (signed_percent, 0.124, "+12%"),
        (signed_percent, -0.9963, "-99.6%"),
        (signed_percent, 0.99963, "+99.96%"),
        (signed_percent, 1.0, "+100%"),
        (signed_percent, 1.004, "+100.4%"),
        (signed_percent, 2.27, "+227%"),
        # A small ratio does not read as zero.
        (ratio_text, 0.8534, "0.853"),
        (ratio_text, 12.3456, "12.346"),
        (ratio_text, 0.000412, "0.000412"),
        # A unit that fits.
        (latency_text, 9.06, "9.06 µs"),
        (latency_text, 999.0, "999 µs"),
        (latency_text, 999.4, "999 µs"),
        (latency_text, 999.5, "1 ms"),
        (latency_text, 2940.0, "2.94 ms"),
        (latency_text, 999_600.0, "1 s"),
        (latency_text, 1.2e6, "1.2 s"),
    ],
)
def test_a_number_reads_as_what_it_is(text_of: Callable[[float], str], value: float, shown: str) -> None:
    assert text_of(value) == shown


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((800 * 2**20, 2**20), ("800 MiB", "1 MiB")),
        ((64 * 2**20, 64 * 2**20 - 4096), ("64 MiB", "63.996 MiB")),
        ((2**40, 2**40 - 1), ("1 TiB", "1024 GiB")),
        ((2**40 + 2**30, 2**40), ("1.001 TiB", "1 TiB")),
        ((5, 5), ("5 B", "5 B")),
    ],
)
def test_sizes_in_one_sentence_are_told_apart(values: tuple[float, ...], texts: tuple[str, ...]) -> None:
    """A file that lacks a page is not as large as the one that has it."""
    assert sizes(*values) == texts


@pytest.mark.parametrize(
    ("part", "whole", "texts"),
    [
        (801 * 2**20, 800 * 2**20, ("801 MiB", "800 MiB", "100.12 %")),
        (68825382912, 2**36, ("64.099 GiB", "64 GiB", "100.15 %")),
        (80 * 2**20, 800 * 2**20, ("80 MiB", "800 MiB", "10.00 %")),
        (160_000, 16_000_000, ("156 KiB", "15.3 MiB", "1.00 %")),
        (0, 3, ("0 B", "3 B", "0.00 %")),
    ],
)
def test_a_percentage_is_that_of_the_sizes_beside_it(
    part: float, whole: float, texts: tuple[str, str, str]
) -> None:
    assert sizes_and_percent(part, whole) == texts


@given(whole=st.integers(1, 2**50), share=st.floats(0, 20))
def test_who_divides_the_sizes_gets_the_percentage(whole: int, share: float) -> None:
    *texts, percent = sizes_and_percent(round(share * whole), whole)
    done, wanted = (float(number) * SIZE_UNITS[unit] for number, unit in map(str.split, texts))
    assert f"{100 * done / wanted:.2f} %" == percent


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [(0, "cell", "0 cells"), (1, "cell", "1 cell"), (1234, "more round", "1,234 more rounds"),
     (1, "process", "1 process"), (2, "process", "2 processes")],
)  # fmt: skip
def test_a_count_and_its_noun_agree(count: int, noun: str, text: str) -> None:
    assert counted(count, noun) == text


def test_a_long_list_ends_with_the_number_of_its_other_lines() -> None:
    for whole in (["a", "b"], ["a", "b", "c"]):  # "and 1 more" would take as much room
        assert few(whole, 2, "and {} more") == whole
    assert few(["a", "b", "c"], 1, "and {} more") == ["a", "and 2 more"]
