"""weir trace: the trace files of weir-io (--trace) as CSV, one line for each operation."""

import argparse
import csv
import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from weir.base.errors import WeirError
from weir.base.files import as_json
from weir.base.options import Parser

NAME = "trace"
GROUP = "prove"
HELP = "convert the trace files of weir-io (--trace) to CSV, one line for each operation"
EXAMPLE = "weir trace build/trace.0 build/trace.1 > operations.csv"


def add_arguments(parser: Parser) -> None:
    parser.path("files", "FILE.RANK", "trace file of a rank", nargs="+")
    parser.flag("--json", "print a list of objects instead of CSV")


def execute(args: argparse.Namespace) -> int:
    phases = [phase for path in args.files for phase in read_trace(path)]
    if args.json:
        print(as_json([dict(zip(_COLUMNS, row, strict=True)) for row in _rows(phases)]))
    else:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(_COLUMNS)
        writer.writerows(_rows(phases))
    for phase in phases:
        if phase.dropped:
            print(
                f"weir: rank {phase.rank}, {phase.name} of iteration {phase.iteration}: "
                f"{phase.dropped} operations did not fit; hint: --trace-records",
                file=sys.stderr,
            )
    return 0


_MAGIC = b"weirtrc1"
_HEAD = struct.Struct("<8sII")
_PHASE = struct.Struct("<16s16sQQQ")
_RECORD = struct.Struct("<QQQQQ")
_OPERATIONS = ("write", "read")
_COLUMNS = (
    "rank",
    "iteration",
    "phase",
    "item",
    "number",
    "operation",
    "offset",
    "bytes",
    "start_s",
    "duration_us",
)


@dataclass(frozen=True)
class _Operation:
    """One operation; the offset of one on a name is the number of its item."""

    start_ns: int
    duration_ns: int
    offset: int
    bytes: int
    operation: str


@dataclass(frozen=True)
class TracedPhase:
    """The operations of one rank in one phase; dropped operations did not fit in its memory."""

    rank: int
    name: str
    item: str
    iteration: int
    dropped: int
    records: Sequence[_Operation]


def read_trace(path: Path) -> list[TracedPhase]:
    """The phases of one rank's file, in order."""
    try:
        data = path.read_bytes()
    except OSError as error:
        hint = "give the files FILE.0, FILE.1, ... of --trace=FILE"
        raise WeirError(f"{path}: {error.strerror}", hint=hint) from error
    if len(data) < _HEAD.size or not data.startswith(_MAGIC):
        raise WeirError(f"{path} is not a trace of weir-io", hint="weir-io writes one with --trace=FILE")
    _, rank, record_bytes = _HEAD.unpack_from(data)
    if record_bytes != _RECORD.size:
        raise WeirError(f"{path} is not a trace of this version: its records have {record_bytes} bytes")
    return list(_phases(path, data, rank))


def _phases(path: Path, data: bytes, rank: int) -> Iterator[TracedPhase]:
    at = _HEAD.size
    while at < len(data):
        if len(data) - at < _PHASE.size:
            raise _truncated(path, at)
        name, item, iteration, count, dropped = _PHASE.unpack_from(data, at)
        at += _PHASE.size
        end = at + count * _RECORD.size
        if end > len(data):
            raise _truncated(path, at)
        phase = _text(name)
        records = [
            _Operation(start, duration, offset, size, _OPERATIONS[kind] if kind < len(_OPERATIONS) else phase)
            for start, duration, offset, size, kind in _RECORD.iter_unpack(data[at:end])
        ]
        yield TracedPhase(rank, phase, _text(item), iteration, dropped, records)
        at = end


def _rows(phases: Sequence[TracedPhase]) -> Iterator[tuple[object, ...]]:
    """The rows in the order of the columns; starts count from the first operation of all phases."""
    first_ns = min((record.start_ns for phase in phases for record in phase.records), default=0)
    for phase in phases:
        head = (phase.rank, phase.iteration, phase.name, phase.item)
        for number, record in enumerate(phase.records):
            start_s = f"{(record.start_ns - first_ns) * 1e-9:.9f}"
            duration_us = f"{record.duration_ns * 1e-3:.3f}"
            yield (*head, number, record.operation, record.offset, record.bytes, start_s, duration_us)


def _text(field: bytes) -> str:
    return field.rstrip(b"\0").decode("ascii", "replace")


def _truncated(path: Path, at: int) -> WeirError:
    return WeirError(
        f"{path} is truncated in the phase at byte {at}", hint="the run that wrote it was killed"
    )
