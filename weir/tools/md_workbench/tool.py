"""The tool: md-workbench, of its lines for each phase.

The benchmark phase looks at, reads, removes and creates one object at a time: it is one row, whose
operations are objects. The lines that --process-reports prints of single ranks are parts of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from weir.terms.model import Message, Parsed, Row
from weir.terms.printed_values import real, whole
from weir.tools.base import LogTool

_START = re.compile(r"^ *MD-Workbench total objects: ", re.MULTILINE)
_TOTAL = re.compile(
    r"^ *MD-Workbench total objects: ([1-9]\d{0,17}) workingset size: (\S{1,30} \w{1,3})", re.MULTILINE
)
_VERSION = re.compile(r"\(version: ([^)\s]{1,40})\)")
_PHASE = re.compile(r"^ *(precreate|benchmark|cleanup) process (max:.*)$", re.MULTILINE)
_COUNTS = re.compile(r"objects:(\d{1,18}) .*?rate:([\d.]{1,30}) obj/s")
_BANDWIDTH = re.compile(r"tp:([\d.]{1,30}) MiB/s")
_SLOWEST = re.compile(r"op-max:([\d.e+-]{1,30})s \((\d{1,18}) errs\)")
_TIMES = re.compile(r"\b(read|stat|create|delete)\(([\d.e+-]{1,30})s, [^,]{1,30}, ([\d.e+-]{1,30})s,")
_ARGUMENTS = re.compile(r"^Args: md-workbench .*$", re.MULTILINE)
_API = re.compile(r'"(?:-a|--api)(?:=|" ")([A-Za-z0-9]{1,20})"')
_ENDED = re.compile(r"^Total runtime: ", re.MULTILINE)
_ACCESSES = {"precreate": "create", "benchmark": "update", "cleanup": "remove"}


class MdWorkbench(LogTool):
    """Lines of precreate, benchmark and cleanup."""

    name = "md-workbench"
    purpose = "metadata"
    log_start = _START
    output_pattern = re.compile(r"^MD-?Workbench|md-workbench", re.MULTILINE | re.IGNORECASE)

    def parse_log(self, text: str) -> Sequence[Parsed]:
        starts = [match.start() for match in _START.finditer(text)]
        runs = pairwise([*starts, len(text)])
        return [
            _parsed(text[begin:end], _api(text[before:begin]))
            for before, (begin, end) in zip([0, *starts], runs, strict=False)
        ]


def _api(before: str) -> str:
    """The interface in the arguments that it prints above its first line; POSIX is its default."""
    lines = _ARGUMENTS.findall(before)
    found = _API.search(lines[-1]) if lines else None
    return found[1].upper() if found else "POSIX"


def _parsed(text: str, api: str) -> Parsed:
    rows: list[Row] = []
    messages: list[Message] = []
    iterations: dict[str, int] = {}
    for match in _PHASE.finditer(text):
        phase, line = match[1], match[2]
        for row, errors in _rows(phase, line, api):
            rows.append(row | {"iteration": iterations.get(phase, 0)})
            iterations[phase] = iterations.get(phase, 0) + 1
            if errors:
                messages.append(Message("error", f"{phase}: {errors} errors", len(rows) - 1))
    total = _TOTAL.search(text)
    workload = {"files": int(total[1]), "options": {"working set": total[2]}} if total else {}
    for row in rows:  # the cleanup is the last phase
        row["observed"] = {"all_results": rows[-1]["access"] == "remove", "workload": workload}
    version = _VERSION.search(text)
    ended = _ENDED.search(text) is not None
    return Parsed(tuple(rows), {}, tuple(messages), "md-workbench", version[1] if version else "", ended)


def _rows(phase: str, line: str, api: str) -> Iterator[tuple[Row, int | None]]:
    """The row and its errors; none where the line was cut."""
    counts, slowest = _COUNTS.search(line), _SLOWEST.search(line)
    if not counts or not slowest:
        return
    objects, rate = whole(counts[1]), real(counts[2])
    total_s = objects / rate if objects and rate else None
    row: Row = {
        "api": api,
        "access": _ACCESSES[phase],
        "nn": None,
        "ppn": None,
        "item": "file",
        "ops": objects,
        "ops_s": rate,
        "io_s": total_s,
        "total_s": total_s,
        "experiment": phase,
        "lat_max_us": _us(slowest[1]),
        "observed": {},
    }
    kinds = list(_TIMES.finditer(line))
    if len(kinds) == 1:  # of several kinds of operations no one median is that of the phase
        row |= {"lat_min_us": _us(kinds[0][2]), "lat_p50_us": _us(kinds[0][3])}
    bandwidth = _BANDWIDTH.search(line)
    if bandwidth:
        row["bw_mib_s"] = real(bandwidth[1])
    yield row, whole(slowest[2])


def _us(text: str) -> float | None:
    seconds = real(text)
    return None if seconds is None else seconds * 1e6
