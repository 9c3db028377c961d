"""Rows from the lines that fio prints for programs (--minimal, --terse-version 2 to 5): one for each job.

A line has neither the request nor the time at which it was printed. Nobody knows whether lines of one job are
workers that ran at once or runs one after the other: they are neither added up nor repetitions.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from weir.records.model import Parsed
from weir.tools.fio.parse import failed_jobs, parse_document

# Version 2 has not that of fio. Lines without percentiles are of fio 1, whose fields are others.
LINE = re.compile(
    r"^(?:2|[3-5];fio-([^;\n]{1,40}));([^;\n]*);(\d{1,9});(\d{1,9});(\d[^\n]*%=[^\n]*)$", re.MULTILINE
)
_COUNTS = ("io_bytes", "bw", "iops", "runtime")  # KiB, KiB/s and milliseconds
_SPREAD = ("min", "max", "mean", "stddev")  # of submissions, of completions and, behind percentiles, of both
_PERCENTILE = re.compile(r"[\d.]{1,12}%=\d{1,15}")
_NUMBER = re.compile(r"\d{1,18}(?:\.\d{1,9})?")


def terse_results(text: str) -> Sequence[Parsed]:
    """The result of each line."""
    lines = list(LINE.finditer(text))
    alike = Counter(line.group(2, 3) for line in lines)
    return [_parsed(line, at if alike[line.group(2, 3)] > 1 else 0) for at, line in enumerate(lines, 1)]


def _parsed(line: re.Match[str], number: int) -> Parsed:
    """number: of a line that is not the only one of its job."""
    job = {"jobname": line[2], "groupid": line[3], "error": int(line[4]), **_accesses(line)}
    document = {"fio version": line[1] or "", "jobs": [job]}
    parsed = parse_document(document)
    rows = parsed.rows or failed_jobs(document)
    for row in rows if number else ():
        row["observed"].setdefault("workload", {})["options"] = {"line": str(number)}
    return replace(parsed, rows=tuple(rows))


def _accesses(line: re.Match[str]) -> dict[str, Any]:
    """The counts of each access under the names of a document of fio 2."""
    fields, accesses = line[5].split(";"), {}
    for access in ("read", "write"):
        percentiles = [*takewhile(_PERCENTILE.fullmatch, fields[12:])]
        shares = dict(field.split("%=") for field in percentiles)
        behind = fields[12 + len(percentiles) :]
        accesses[access] = {
            **_numbers(_COUNTS, fields),
            "clat": {**_numbers(_SPREAD, fields[8:]), "percentile": _numbers(shares, shares.values())},
            "lat": _numbers(_SPREAD, behind),
        }
        fields = behind[15 if line[0].startswith("5") else 9 :]  # what follows is of samples of the bandwidth
    return accesses


def _numbers(names: Iterable[str], fields: Iterable[str]) -> dict[str, float]:
    pairs = zip(names, fields, strict=False)
    return {
        name: float(text) if "." in text else int(text) for name, text in pairs if _NUMBER.fullmatch(text)
    }
