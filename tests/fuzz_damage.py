"""Damage to files of weir's own: a key is missing, null or of another type; a cell is none of weir's."""

import csv
import io
import json
import random
from typing import Any

from tests.fuzzers import groups_of

_MISSING = object()
# In place of a value: what each key of a file may become.
_OTHERS: tuple[Any, ...] = (
    *(_MISSING, None, "x", "", "12", 7, -1, 0, 1.5, 1e308, True, [], [1], ["x"], [None], [[]], {}, {"x": 1}),
    *({"x": None}, "2026-13-45T99:00", "\x00", "9" * 400, 10**25, float("nan"), float("inf"), [[[]]] * 3),
)
_FIELDS = ("", "x", "nan", "-1", "0", "1e999", "9" * 400, "true", "1;2", '"', "2026-13-45", "VALID", "\x00")


def damaged(name: str, text: bytes, chance: random.Random) -> bytes:
    """The content of the file with one or two values that weir never writes."""
    for _ in range(chance.choice((1, 1, 2))):
        if name.endswith(".json"):
            text = _of_json(text, chance)
        elif name.endswith((".jsonl", ".state")):
            lines = text.split(b"\n")
            place = chance.randrange(max(len(lines) - 1, 1))
            lines[place] = _of_json(lines[place], chance)
            text = b"\n".join(lines)
        elif name.endswith(".csv"):
            text = _of_table(text, chance)
        else:
            fields = text.split(b" " if name.endswith("SUMS") else b"\t")
            fields[chance.randrange(len(fields))] = chance.choice(_FIELDS).encode()
            text = (b" " if name.endswith("SUMS") else b"\t").join(fields)
    return text


def _of_json(text: bytes, chance: random.Random) -> bytes:
    try:
        data = json.loads(text)
    except ValueError:
        return text
    groups = [group for group in groups_of(data) if group]
    if not groups or chance.random() < 0.02:
        whole = chance.choice(_OTHERS)
        return json.dumps(None if whole is _MISSING else whole).encode()
    # Few groups have many keys: each group is as likely as the next one, so that each key is met.
    group = chance.choice(groups)
    key = chance.choice([*group] if isinstance(group, dict) else range(len(group)))
    other = chance.choice(_OTHERS)
    if other is _MISSING:
        del group[key]
    else:
        group[key] = other
    return json.dumps(data).encode()


def _of_table(text: bytes, chance: random.Random) -> bytes:
    rows = list(csv.reader(io.StringIO(text.decode(errors="replace"))))
    if not rows or not rows[0]:
        return text
    column = chance.randrange(len(rows[0]))
    if chance.random() < 0.2:
        rows = [row[:column] + row[column + 1 :] for row in rows]  # the column is missing
    else:
        row = chance.choice(rows if chance.random() < 0.1 else rows[1:] or rows)
        if column < len(row):
            row[column] = chance.choice(_FIELDS)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode(errors="replace")
