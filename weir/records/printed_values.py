"""Numbers and times as programs print them: the digits that a number lacks are its uncertainty."""

import math
from datetime import datetime

_EXACT = 1e-9  # relative error of doubles that were printed in full


def half_digit(value: float) -> float:
    """Half a unit of the last digit: 0.005 of 1.44, 0.5 of 7667; of 0.0381 it is 0.00005."""
    digits, _, exponent = repr(float(value)).partition("e")
    decimals = len(digits.removesuffix(".0").partition(".")[2]) - int(exponent or 0)
    return max(0.5 * 10.0**-decimals, abs(value) * _EXACT)


def product_contains(left: float, right: float, product: float) -> bool:
    """Whether two printed numbers can have this product."""
    if left >= 0 and right >= 0 and abs(left * right - product) <= 0.5 * _EXACT * product:
        return True  # whatever the digits: half a digit is at least _EXACT of the number
    left_half, right_half = half_digit(left), half_digit(right)
    low = max(left - left_half, 0.0) * max(right - right_half, 0.0)
    return low <= product <= (left + left_half) * (right + right_half)


def iso_time(text: str) -> str | None:
    """'Wed Oct 24 01:23:25 2018' as ISO 8601, without a zone as none is printed; else as it is."""
    try:
        return datetime.strptime(text, "%a %b %d %H:%M:%S %Y").isoformat()
    except ValueError:
        return text or None


_LONGEST_NUMBER = 40  # digits: more are noise, and Python takes quadratic time for them


def whole(text: str | None) -> int | None:
    """A whole number as programs print it; None for anything else."""
    if text is None or not (text.isascii() and text.isdigit()) or len(text) > _LONGEST_NUMBER:
        return None
    return int(text)


def real(text: str | None) -> float | None:
    """A number as programs print it, infinite and not-a-number excluded; None for anything else."""
    if text is None or len(text) > _LONGEST_NUMBER or "_" in text:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def real_or_text(text: str) -> float | str:
    """The number, or the text itself, which is then reported as an impossible value."""
    value = real(text)
    return text if value is None else value
