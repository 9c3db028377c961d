"""Collects and draws the study of a bundle by the code of the bundle, in a process of its own.

A drawn PDF contains when it was made, its only content that differs from one drawing to the next: that is
taken out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from weir.base.errors import WeirError
from weir.runs.manifest import TABLES

_DATE = re.compile(rb"(/(?:CreationDate|ModDate) )(\([^)]*\))")
_STREAM = re.compile(rb"(.*?)stream\r?\n(.*)\r?\nendstream", re.DOTALL)
_IN_FILE, _IN_OBJECT = 1, 2  # kinds of entries in a table of objects


def without_date(pdf: bytes) -> bytes:
    """The same document for the same drawing. A date of the same length keeps the offsets of objects."""
    plain = _unpacked(pdf) if b"/ObjStm" in pdf else pdf
    return _DATE.sub(lambda match: match[1] + re.sub(rb"[0-9]", b"0", match[2]), plain)


def _unpacked(pdf: bytes) -> bytes:
    """The PDF without compressed objects, among which cairo writes the date since 1.18."""
    table_at = int(pdf[pdf.rindex(b"startxref") :].split()[1])
    header, table = _stream(pdf[table_at:])
    kinds = _entries(header, table)
    offsets = sorted(offset for kind, offset in kinds.values() if kind == _IN_FILE)
    ends = dict(pairwise([*offsets, len(pdf)]))
    written = {number: pdf[at : ends[at]] for number, (kind, at) in kinds.items() if kind == _IN_FILE}
    written = {number: text for number, text in written.items() if b"/Type /XRef" not in text}
    for number in {holder for kind, holder in kinds.values() if kind == _IN_OBJECT}:
        holder = written.pop(number)
        written.pop(_number(rb"/Length (\d+) 0 R", holder), None)  # an object that holds the length alone
        written |= _held(holder)
    return _assembled(pdf[: offsets[0]], written, re.findall(rb"/(?:Root|Info) \d+ 0 R", header))


def _stream(text: bytes) -> tuple[bytes, bytes]:
    found = _STREAM.match(text)
    assert found, "an object of a PDF without its stream"
    return found[1], zlib.decompressobj().decompress(found[2])


def _number(pattern: bytes, text: bytes) -> int:
    found = re.search(pattern, text)
    return int(found[1]) if found else -1


def _entries(header: bytes, table: bytes) -> dict[int, tuple[int, int]]:
    """Number of an object to its kind, and to its offset or the object that holds it."""
    widths = re.search(rb"/W \[ ?(\d+) (\d+) (\d+) ?\]", header)
    assert widths, "a table of objects without the widths of its columns"
    kind, place, rest = map(int, widths.groups())
    rows = [table[at : at + kind + place] for at in range(0, len(table), kind + place + rest)]
    return {
        number: (int.from_bytes(row[:kind]), int.from_bytes(row[kind:])) for number, row in enumerate(rows)
    }


def _held(holder: bytes) -> dict[int, bytes]:
    header, text = _stream(holder)
    first = _number(rb"/First (\d+)", header)
    numbers = [int(word) for word in text[:first].split()]
    starts = [*numbers[1::2], len(text) - first]
    parts = [text[first + start : first + end].strip() for start, end in pairwise(starts)]
    return {
        number: b"%d 0 obj\n%b\nendobj\n" % (number, part)
        for number, part in zip(numbers[::2], parts, strict=True)
    }


def _assembled(head: bytes, objects: dict[int, bytes], roots: list[bytes]) -> bytes:
    size = max(objects) + 1
    body, rows = bytearray(head), [b"0000000000 65535 f \n"]
    for number in range(1, size):
        if number in objects:
            rows.append(b"%010d 00000 n \n" % len(body))
            body += objects[number]
        else:
            rows.append(b"0000000000 00000 f \n")
    table = b"xref\n0 %d\n%b" % (size, b"".join(rows))
    trailer = b"trailer\n<< /Size %d %b >>\nstartxref\n%d\n%%%%EOF\n" % (size, b" ".join(roots), len(body))
    return bytes(body) + table + trailer


DRAWN = ("figures", "tables")
COLLECTED = ("records.csv", *TABLES)


def collected_again(code: Path, study: Path) -> list[str]:
    """Write the tables of the study anew from its runs; names of those that differ from what was there."""
    before = {name: (study / name).read_bytes() for name in COLLECTED}
    arguments = ["collect", "--plan", str(study / "plan.json"), "--out", str(study / "records.csv")]
    _call([sys.executable, "-m", "weir", *arguments], code)
    return [name for name in COLLECTED if (study / name).read_bytes() != before[name]]


def drawn_again(code: Path, study: Path) -> bool:
    """Draw figures and tables into the study; False where there is no R."""
    if not shutil.which("Rscript"):
        return False
    # A file that is not drawn again would be compared with itself.
    for name in DRAWN:
        shutil.rmtree(study / name, ignore_errors=True)
    arguments = ["study", str(study), "--with", f"published={code / 'reference' / 'published.csv'}"]
    _call(["Rscript", str(code / "analysis" / "draw.R"), *arguments], code)
    for file in (study / "figures").glob("*.pdf"):
        file.write_bytes(without_date(file.read_bytes()))
    return True


def _call(arguments: list[str], code: Path) -> None:
    kept: Mapping[str, str] = {
        name: value for name, value in os.environ.items() if not name.startswith("WEIR_")
    }
    # The bundle's weir first; behind it what it imports, which `spack load` names there.
    path = os.pathsep.join(filter(None, (str(code), os.environ.get("PYTHONPATH"))))
    environment = {**kept, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(arguments, cwd=code, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        message = " ".join((done.stderr or done.stdout).split()[:60]) or "no message"
        raise WeirError(f"{Path(arguments[0]).name} failed: {message}", file=str(code))
