"""h5bench: results of its programs to write, read, modify and stress metadata are imported, as text or CSV.

Its MB are MiB. The observed time contains the computing between the steps of an access, the observed rate
does not; early programs print the computing in a unit that it does not have.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from weir.records.model import Parsed, Row
from weir.records.printed_values import product_contains, real, whole
from weir.tools.base import LogTool
from weir.tools.outputs import numbered

_RESULTS = re.compile(r"^ *=+ +Performance [Rr]esults +=+$", re.MULTILINE)
_CSV = re.compile(r"^metric, value, unit$", re.MULTILINE)
_METADATA = re.compile(r"^Config loaded from '", re.MULTILINE)
_LINE = re.compile(r"^([^:=\n]{1,60}?)(?::| =) +(.{1,60}?) *$", re.MULTILINE)
# What early programs print: with = for the colon of today, and no number of ranks behind the results.
_EARLY = re.compile(r"^Total (?:write|read|modify) size = ", re.MULTILINE)
_RANKS = re.compile(r"^ *Performance measured with (\d{1,9}) ranks", re.MULTILINE)
_SHARES = re.compile(
    r"^Total particles in the file: (\d{1,18})\s+Number of particles available per rank: (\d{1,18})\b",
    re.MULTILINE,
)
_EARLY_CSV = re.compile(r"^NUM_RANKS, \d+$", re.MULTILINE)
_COLLECTIVE = "Collective buffering for data operations: YES"
_SIZE = re.compile(r"([\d.]{1,30}) ([KMGT]?)B(?:/s)?")
_TIME = re.compile(r"([\d.]{1,30}) s")
_GRID = re.compile(
    r"steps=(\d{1,9}), arrays=(\d{1,9}), rows=(\d{1,9}), columns=(\d{1,9}), scaling=(weak|strong)"
    r"\s+proc-grid=(\d{1,6})x(\d{1,6})"
)
_PHASE = re.compile(r"^(Write|Read) phase \[s\]:\s+_[\d.]{1,20}\s+\^([\d.]{1,20})\s*$", re.MULTILINE)
_MODIFY = "modify"  # what the programs that append and overwrite print
_MODIFYING = ("append", "overwrite", _MODIFY)
_VALUE_BYTES = 8  # the metadata program writes doubles
_MIB = 2**20
_START = re.compile("|".join(f"(?:{one.pattern})" for one in (_RESULTS, _CSV, _METADATA)), re.MULTILINE)

_OUTPUT = re.compile(
    rf"{_START.pattern}|^Start benchmark: h5bench_|^config file: \S+, output data file:"
    r"|Total emulated compute time|(?:Raw|Observed) (?:write|read|modify) rate\s*[:=]",
    re.MULTILINE | re.IGNORECASE,
)
# The program that starts those which measure: what these print are files of their own.
_DRIVER = re.compile(r"^[-\d]{10} [\d:,]{8,15} h5bench - [A-Z]+ - ", re.MULTILINE)


class H5bench(LogTool):
    """Writes, reads and the stress of metadata, through HDF5."""

    name = "h5bench"
    purpose = "format"
    log_start = _START
    output_pattern = _OUTPUT
    other_files = ((_DRIVER, "the log of h5bench's driver, which has no results"),)
    unread = (_EARLY_CSV, "the CSV of an early h5bench, which is not read (use what the program printed)")

    def parse_log(self, text: str) -> Sequence[Parsed]:
        rows = tuple(numbered([*_of_text(text), *_of_csv(text), *_of_metadata(text)]))
        return [Parsed(rows, {}, (), "h5bench", "", complete=True)] if rows else ()


def _parts(start: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    places = [match.end() for match in start.finditer(text)]
    return pairwise([*places, len(text)])


def _of_text(text: str) -> Iterator[Row]:
    before = 0
    for begin, end in _parts(_RESULTS, text):
        facts = {match[1].strip().lower(): match[2] for match in _LINE.finditer(text, begin, end)}
        is_early = _EARLY.search(text, begin, end) is not None
        ranks = _ranks_of_early(text, before, begin) if is_early else facts.get("total number of ranks")
        for access, of_time in (("write", ""), ("read", "read "), (_MODIFY, f"{_MODIFY} ")):
            named = {
                "total size": facts.get(f"total {access} size"),
                "raw time": facts.get(f"raw {access} time"),
                "observed time": None if is_early else facts.get(f"observed {of_time}completion time"),
                "total compute time": facts.get("total emulated compute time"),
                "observed rate": facts.get(f"sync observed {access} rate")
                or facts.get(f"observed {access} rate"),
                "ranks": ranks,
                "collective data": "YES" if _COLLECTIVE in text[before:begin] else "NO",
            }
            yield from _rows(access, {name: value or "" for name, value in named.items()})
        before = end


def _ranks_of_early(text: str, begin: int, end: int) -> str | None:
    """The program that reads prints the particles of the file and those of a rank."""
    if match := _RANKS.search(text, begin, end):
        return match[1]
    shares = _SHARES.search(text, begin, end)
    return str(int(shares[1]) // int(shares[2])) if shares and int(shares[2]) else None


def _of_csv(text: str) -> Iterator[Row]:
    for begin, end in _parts(_CSV, text):
        lines = csv.reader(text[begin:end].splitlines(), skipinitialspace=True)
        facts = {line[0]: " ".join(line[1:]).replace("seconds", "s").strip() for line in lines if line}
        if facts.get("operation") in ("write", "read", *_MODIFYING):
            yield from _rows(facts["operation"], facts)


def _rows(operation: str, facts: Mapping[str, str]) -> Iterator[Row]:
    """The row of an access, if the size and the rate are there."""
    moved, rate = (_bytes(facts.get(name, "")) for name in ("total size", "observed rate"))
    if moved and rate:
        collective = facts.get("collective data") == "YES"
        is_modified = operation in _MODIFYING
        row = _row("write" if is_modified else operation, collective, whole(facts.get("ranks", "")))
        row |= {"experiment": operation} if is_modified else {}
        row["observed"]["workload"] = {"file_bytes": round(moved)}
        total_s = _time_of_access(facts)
        yield row | {
            "moved_bytes": round(_moved(facts["total size"], moved, rate, total_s)),
            "io_s": _seconds(facts.get("raw time", "")),
            "total_s": total_s,
            "bw_mib_s": rate / _MIB,
        }


def _time_of_access(facts: Mapping[str, str]) -> float | None:
    """The observed time without the computing, with the three decimals that both have."""
    observed_s = _seconds(facts.get("observed time", ""))
    computing_s = _seconds(facts.get("total compute time", "")) or 0.0
    return round(observed_s - computing_s, 3) if observed_s and observed_s > computing_s else None


def _moved(text: str, printed: float, rate: float, total_s: float | None) -> float:
    """The printed size, or what is printed so and nearest to the rate: of terabytes both have few digits."""
    size = _SIZE.search(text)
    if not size or not total_s or product_contains(rate / _MIB, total_s, printed / _MIB):
        return printed
    decimals = len(size[1].partition(".")[2])
    half = float(f"0.5e-{decimals}") * (1 << 10 * " KMGT".index(size[2] or " "))
    return min(max(rate * total_s, printed - half), printed + half)


def _row(access: str, collective: bool, tasks: int | None) -> Row:
    return {
        "api": "HDF5",
        "access": access,
        "layout": "shared" if tasks and tasks > 1 else None,
        "collective": collective,
        "observed": {"tasks": tasks} if tasks else {},
    }


def _of_metadata(text: str) -> Iterator[Row]:
    """The rates that it prints are those of single ranks: that of all follows from the slowest one."""
    for begin, end in _parts(_METADATA, text):
        grid = _GRID.search(text, begin, end)
        for match in _PHASE.finditer(text, begin, end) if grid else ():
            total_s = real(match[2])
            if grid and total_s:
                steps, arrays, rows, columns, down, across = (int(grid[at]) for at in (1, 2, 3, 4, 6, 7))
                blocks = down * across if grid[5] == "weak" else 1
                moved = steps * arrays * rows * columns * _VALUE_BYTES * blocks
                row = _row(match[1].lower(), "mpi-io=collective" in text[begin:end], down * across)
                row["observed"]["workload"] = {"file_bytes": moved}
                sizes = {"moved_bytes": moved, "total_s": total_s, "bw_mib_s": moved / _MIB / total_s}
                yield row | sizes | {"experiment": "metadata"}


def _bytes(text: str) -> float | None:
    match = _SIZE.search(text)
    value = real(match[1]) if match else None
    return value * 1024 ** " KMGT".index(match[2] or " ") if match and value is not None else None


def _seconds(text: str) -> float | None:
    match = _TIME.search(text)
    return real(match[1]) if match else None


TOOL = H5bench()
