"""Sizes, durations and rates as people write them: '16 KiB', '60 s', '500 MiB/s'. MB is not MiB."""

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from weir.base.errors import did_you_mean

SIZE_UNITS: Mapping[str, int] = {
    "B": 1,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
    "PiB": 2**50,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "PB": 10**15,
}
TIME_UNITS: Mapping[str, Fraction] = {
    "us": Fraction(1, 1_000_000),
    "ms": Fraction(1, 1000),
    "s": Fraction(1),
    "min": Fraction(60),
    "h": Fraction(3600),
    "d": Fraction(86400),
}
_NUMBER = r"([0-9]{1,20}(?:\.[0-9]{1,20})?)"
_QUANTITY = re.compile(rf"\s*{_NUMBER}\s*([A-Za-z]+)\s*")
_BARE = re.compile(rf"\s*{_NUMBER}\s*")
_PERCENT = re.compile(rf"\s*{_NUMBER}\s*%\s*")
_LOOSE_SIZE_UNIT = re.compile(r"([kmgtp])(i?)b?", re.IGNORECASE)
_LOOSE_TIME_UNITS = {"sec": "s", "secs": "s", "second": "s", "seconds": "s", "m": "min", "mins": "min"} | {
    "minute": "min",
    "minutes": "min",
    "hour": "h",
    "hours": "h",
    "hr": "h",
    "day": "d",
    "days": "d",
}


class HintedError(ValueError):
    """A value that cannot be used as it is written; `hint` is what to write instead."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def parse_size(value: object) -> int:
    """Bytes of '16 KiB', '1.5 GiB', '47008 B' or '1 MB' (10^6 bytes)."""
    size = _bytes_of(value)
    if size.denominator != 1:
        raise HintedError(f"'{value}' is not a whole number of bytes", f"write {round(size)} B")
    return int(size)


def _bytes_of(value: object) -> Fraction:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        raise HintedError(f"{value} has no unit", _size_hint(value))
    number, unit = _split(value, "a size", "16 KiB, 1 MiB, 47008 B, 1 MB (10^6 bytes)")
    if unit not in SIZE_UNITS:
        hint = _meant_sizes(number, unit) or _near_unit(unit, SIZE_UNITS)
        raise HintedError(f"'{value}' has the unknown unit '{unit}'", hint)
    return number * SIZE_UNITS[unit]


def parse_duration(value: object) -> float:
    """Seconds of '60 s', '5 min', '2 h', '1 d' or '200 ms'."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        raise HintedError(f"{value} has no unit", f"write '{_plain(value)} s' or '{_plain(value)} min'")
    number, unit = _split(value, "a duration", "200 ms, 60 s, 5 min, 2 h, 1 d")
    if unit not in TIME_UNITS:
        guess = _LOOSE_TIME_UNITS.get(unit.lower())
        hint = f"did you mean '{_plain(number)} {guess}'?" if guess else _near_unit(unit, TIME_UNITS)
        raise HintedError(f"'{value}' has the unknown unit '{unit}'", hint)
    return float(number * TIME_UNITS[unit])


def parse_rate(value: object) -> float:
    """MiB/s of '500 MiB/s' or '1 GB/s'."""
    if number := bare_number(value):
        raise HintedError(f"{_quoted(value)} has no unit", f"write it like {number} MiB/s or {number} GiB/s")
    if not isinstance(value, str) or not value.rstrip().endswith("/s"):
        raise HintedError(f"{_quoted(value)} is not a bandwidth", "write it like 500 MiB/s or 1 GB/s")
    return float(_bytes_of(value.rstrip().removesuffix("/s")) / 2**20)


def bare_number(value: object) -> str | None:
    """A quantity that lacks its unit, as it was written; None if it is something else."""
    is_number = isinstance(value, (int, float, str)) and not isinstance(value, bool)
    match = _BARE.fullmatch(str(value)) if is_number else None
    return match[1] if match else None


def parse_percent(value: object) -> float:
    """0.05 of '5 %'."""
    match = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    if match is None or float(match[1]) == 0:
        raise HintedError(f"{_quoted(value)} is not a percentage above zero", "write it like 5 %")
    return float(match[1]) / 100


def format_size(size_bytes: int) -> str:
    """The shortest exact way to write a size; parse_size reads it back unchanged."""
    for unit in ("PiB", "TiB", "GiB", "MiB", "KiB"):
        if size_bytes and size_bytes % SIZE_UNITS[unit] == 0:
            return f"{size_bytes // SIZE_UNITS[unit]} {unit}"
    return f"{size_bytes} B"


def about_size(size_bytes: float) -> str:
    """A size for reading, three digits: '7.81 GiB'."""
    for unit in ("PiB", "TiB", "GiB", "MiB", "KiB"):
        if size_bytes >= SIZE_UNITS[unit]:
            return f"{_digits(size_bytes / SIZE_UNITS[unit])} {unit}"
    return f"{size_bytes:.0f} B"


def sizes(*values: float) -> tuple[str, ...]:
    """Sizes that stand in one sentence, with as many digits as it takes to tell different ones apart."""
    texts = tuple(map(about_size, values))
    for digits in range(4, 17):
        if len(set(texts)) == len(set(values)):
            break
        texts = tuple(_exact_size(value, digits) for value in values)
    return texts


def sizes_and_percent(part: float, whole: float) -> tuple[str, str, str]:
    """Two sizes and what the first is of the second, with as many digits as it takes for the percentage to be
    that of the sizes as they are written: a reader divides them."""
    percent = f"{100 * part / whole:.2f}"
    one, other = sizes(part, whole)
    for digits in range(4, 17):
        if f"{100 * _size_of(one) / _size_of(other):.2f}" == percent:
            break
        one, other = _exact_size(part, digits), _exact_size(whole, digits)
    return one, other, f"{percent} %"


def _size_of(text: str) -> float:
    number, unit = text.split()
    return float(number) * SIZE_UNITS[unit]


def _exact_size(size_bytes: float, digits: int) -> str:
    unit = next((one for one in ("PiB", "TiB", "GiB", "MiB", "KiB") if size_bytes >= SIZE_UNITS[one]), "B")
    return f"{size_bytes / SIZE_UNITS[unit]:.{digits}g} {unit}"


def three_digits(value: float) -> str:
    """Three significant digits, halves up, thousands separated, no exponent: '1,450', '0.0123'."""
    if value <= 0:
        return "0"
    power = math.floor(math.log10(value)) - 2
    # Powers of ten above one only: they are exact, and R and the page's script compute the same.
    if power >= 0:
        rounded = math.floor(value / 10.0**power + 0.5) * 10.0**power
    else:
        rounded = math.floor(value * 10.0**-power + 0.5) / 10.0**-power
    if rounded >= 100:
        return f"{rounded:,.0f}"
    return f"{rounded:.{max(-power, 1)}f}".rstrip("0").rstrip(".")


def digits_or_more(value: float, digits: int = 4) -> str:
    """Four significant digits or more, thousands separated, no exponent: '12,345', '12.35'."""
    return f"{value:,.{digits - 4}f}" if value >= 999.95 else f"{value:.{digits}g}"


def ratio_text(ratio: float) -> str:
    """Three decimals, and of less than a tenth three digits: '0.853', '0.000412'."""
    return f"{ratio:.3f}" if ratio >= 0.1 else three_digits(ratio)


def percent(share: float, decimals: int = 0) -> str:
    """So many decimals, and more where it would read as nothing or as all and is not: '12', '99.96'."""
    text = f"{100 * share:.{decimals}f}"
    if float(text) not in (0, 100) or share in (0, 1):
        return text
    if float(text) == 0:
        return three_digits(100 * share)
    texts = (f"{100 * share:.{digits}f}" for digits in range(decimals, 13))
    return next((text for text in texts if float(text) != 100), text)


def signed_percent(share: float, decimals: int = 0) -> str:
    return f"{'-' if share < 0 else '+'}{percent(abs(share), decimals)}%"


def latency_text(microseconds: float) -> str:
    """'9.06 µs', '2.94 ms', '1.2 s'."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= 0.9995 * size:  # three digits of it are a whole one
            return f"{three_digits(microseconds / size)} {unit}"
    return f"{three_digits(microseconds)} µs"


def about_duration(duration_s: float) -> str:
    """A duration for reading: '42 s', '3 min 20 s', '5 h 12 min', '3 d 4 h'."""
    if duration_s < 10:
        return f"{duration_s:.1f} s"
    for big, small, size in (("d", "h", 86400), ("h", "min", 3600), ("min", "s", 60)):
        step = float(TIME_UNITS[small])
        rounded = round(duration_s / step) * step
        if rounded >= size:
            rest = round((rounded % size) / step)
            return f"{int(rounded // size)} {big}" + (f" {rest} {small}" if rest else "")
    return f"{duration_s:.0f} s"


def durations(*seconds: float) -> tuple[str, ...]:
    """Durations that stand in one sentence: those that differ do not read the same."""
    texts = tuple(map(about_duration, seconds))
    return texts if len(set(texts)) == len(set(seconds)) else tuple(f"{each:.9g} s" for each in seconds)


def counted(count: int, noun: str) -> str:
    """A count with its noun: '1 file', '1,234 files', '2 processes'."""
    return f"{count:,} {noun}" + ("" if count == 1 else "es" if noun.endswith(("s", "ch")) else "s")


def as_written(value: object) -> str:
    """A value as YAML has it: true, not True."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def few(lines: Sequence[str], most: int, rest: str) -> list[str]:
    """The first lines; where more than one line is left, a last line with their number in place of {}."""
    more = len(lines) - most
    return [*lines[:most], rest.format(more)] if more > 1 else [*lines]


def listed(names: Sequence[str], most: int, between: str = ", ") -> str:
    """The first names; where there are more, their number: 'a, b and 3 more'."""
    more = len(names) - most
    return between.join(names[:most]) + (f" and {more} more" if more > 0 else "")


def number_list(numbers: Sequence[int]) -> str:
    """Whole numbers in ascending order for reading: '2', '3 to 8', '2, 4 and 8 to 10'."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    known = [word for run in runs for word in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))]
    return " and ".join(filter(None, (", ".join(known[:-1]), known[-1])))


def numbers_in(text: str) -> set[int]:
    """The numbers of a list such as the kernel writes: {0, 2, 3, 4} of '0,2-4'."""
    parts = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return {number for part in parts for number in range(part[0], part[-1] + 1)}


def _split(value: object, what: str, examples: str) -> tuple[Fraction, str]:
    match = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise HintedError(f"{_quoted(value)} is not {what}", f"write a number and a unit, like {examples}")
    return Fraction(match[1]), match[2]


def _size_hint(value: int | float) -> str:
    if isinstance(value, int) and value >= 1024 and value % 1024 == 0:
        return f"write '{format_size(value)}' ({value} bytes)"
    return f"write '{_plain(value)} B', '{_plain(value)} KiB' or '{_plain(value)} MiB'"


def _meant_sizes(number: Fraction, unit: str) -> str | None:
    """K, KB, kb and the like mean 1024 to some and 1000 to others: both are shown, with their bytes."""
    match = _LOOSE_SIZE_UNIT.fullmatch(unit)
    if match is None:
        return None
    letter = match[1].upper()
    units = [f"{letter}iB"] if match[2] else [f"{letter}iB", f"{'k' if letter == 'K' else letter}B"]
    meant = [f"'{_plain(number)} {each}' ({_plain(number * SIZE_UNITS[each])} bytes)" for each in units]
    return f"did you mean {' or '.join(meant)}?"


def _near_unit(unit: str, units: Mapping[str, object]) -> str:
    known = ", ".join(units)
    near = did_you_mean(unit, units)
    return f"{near} (units: {known})" if near.startswith("did") else f"units: {known}"


def _plain(number: Fraction | int | float) -> str:
    return str(int(number)) if number == int(number) else f"{float(number):g}"


def _digits(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def _quoted(value: object) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)
