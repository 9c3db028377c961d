"""md-workbench: the lines that it prints for each phase are imported.

The benchmark phase looks at, reads, removes and creates one object at a time: it is one row, whose
operations are objects. The lines that --process-reports prints of single ranks are parts of these.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from weir.records.model import Message, Parsed, Row
from weir.records.printed_values import real, whole
from weir.tools.base import LogTool
from weir.tools.complaints import complaint, without_repeats
from weir.tools.outputs import numbered

_START = re.compile(r"^ *MD-Workbench total objects: ", re.MULTILINE)
_FIRST_FORM = re.compile(r"^ *MD-REAL-IO total (?:files|objects): ", re.MULTILINE)
_TOTAL = re.compile(
    r"^ *MD-Workbench total objects: ([1-9]\d{0,17}) workingset size: (\S{1,30} \w{1,3})", re.MULTILINE
)
_VERSION = re.compile(r"\(version: ([^)\s]{1,40})\)")
_PHASE = re.compile(r"^ *(precreate|benchmark|cleanup) process (max:.*)$", re.MULTILINE)
# A line of --print-detailed-stats: counts of data sets and objects, two times, bandwidth, slowest operation.
_COLUMNS = re.compile(
    r"^ *(precreate|benchmark|cleanup) \t\d+\t\d+\t(?P<created>\d{1,18})\t(?P<read>\d{1,18})\t\d+\t"
    r"(?P<removed>\d{1,18})\t[\d.]+s\t(?P<seconds>[\d.]{1,20})s\t(?P<bandwidth>[\d.]{1,30}) MiB/s "
    r"(?P<slowest>[\d.e+-]{1,30})$",
    re.MULTILINE,
)
_OBJECTS = {"precreate": "created", "benchmark": "read", "cleanup": "removed"}
_FAILED = re.compile(r"^ *(precreate|benchmark|cleanup) err((?:\t\d{1,18}){6})$", re.MULTILINE)
_NODES = re.compile(r"^ *Nodemap: ([01]+)$", re.MULTILINE)  # a digit for each rank
_COUNTS = re.compile(r"objects:(\d{1,18}) .*?rate:([\d.]{1,30}) obj/s")
_BANDWIDTH = re.compile(r"tp:([\d.]{1,30}) MiB/s")
_SLOWEST = re.compile(r"op-max:([\d.e+-]{1,30})s \((\d{1,18}) errs\)")
_TIMES = re.compile(r"\b(read|stat|create|delete)\(([\d.e+-]{1,30})s, [^,]{1,30}, ([\d.e+-]{1,30})s,")
_ARGUMENTS = re.compile(r"^Args: md-workbench .*$", re.MULTILINE)
_API = re.compile(r'"(?:-a|--api)(?:=|" ")([A-Za-z0-9]{1,20})"')
_REQUESTED = re.compile(r"^\s*run-(precreate|benchmark|cleanup)\s*$", re.MULTILINE)
_ERROR = re.compile(r"^\d+: (Error while .*)$", re.MULTILINE)
_ENDED = re.compile(r"^Total runtime: ", re.MULTILINE)
_ACCESSES = {"precreate": "create", "benchmark": "update", "cleanup": "remove"}


class MdWorkbench(LogTool):
    """Lines of precreate, benchmark and cleanup."""

    name = "md-workbench"
    purpose = "metadata"
    log_start = _START
    unread = (
        _FIRST_FORM,
        "output of MD-REAL-IO, the first md-workbench, which is not read (use the one that IOR has today)",
    )
    output_pattern = re.compile(
        r"^ *(?:MD-?Workbench total|Args: \S*md-workbench|(?:precreate|benchmark|cleanup) process)",
        re.MULTILINE | re.IGNORECASE,
    )

    def parse_log(self, text: str) -> Sequence[Parsed]:
        starts = [match.start() for match in _START.finditer(text)]
        runs = pairwise([*starts, len(text)])
        return [
            _parsed(text[begin:end], text[before:begin])
            for before, (begin, end) in zip([0, *starts], runs, strict=False)
        ]


def _api(before: str) -> str:
    """The interface in the arguments that it prints above its first line; POSIX is its default."""
    lines = _ARGUMENTS.findall(before)
    found = _API.search(lines[-1]) if lines else None
    return found[1].upper() if found else "POSIX"


def _parsed(text: str, before: str) -> Parsed:
    """before: what stands above its first line."""
    api, nodes = _api(before), _NODES.findall(before)
    found = list(_printed(text, api))
    rows = list(numbered(row for _, row, _ in found))
    messages = [
        Message("error", f"{phase}: {errors} errors", at)
        for at, (phase, _, errors) in enumerate(found)
        if errors
    ]
    total = _TOTAL.search(text)
    workload = {"files": int(total[1]), "options": {"working set": total[2]}} if total else {}
    messages += [Message("error", match[1]) for match in _ERROR.finditer(text)]
    messages += [] if rows else filter(None, map(complaint, text.splitlines()))
    for match in _FAILED.finditer(text):
        errors = sum(int(count) for count in match[2].split())
        messages.append(Message("error", f"{match[1]}: {errors} errors"))
    for row in rows:  # the cleanup is the last phase
        row["observed"] = {"all_results": rows[-1]["access"] == "remove", "workload": workload}
        row["observed"] |= {"tasks": len(nodes[-1])} if nodes else {}
    version = _VERSION.search(text)
    ended = _ENDED.search(text) is not None
    accesses = [_ACCESSES[match[1]] for match in _REQUESTED.finditer(text)]
    requested = {} if rows else {"api": api, "access": accesses}  # of a run without a result
    complaints = tuple(without_repeats(messages))
    return Parsed(tuple(rows), requested, complaints, "md-workbench", version[1] if version else "", ended)


def _printed(text: str, api: str) -> Iterator[tuple[str, Row, int | None]]:
    """Each phase with its row and its errors: from lines of rates, else from columns of counts."""
    lines = list(_PHASE.finditer(text))
    for match in lines or _COLUMNS.finditer(text):
        yield from _of_rates(match, api) if lines else _of_counts(match, api)


def _of_counts(match: re.Match[str], api: str) -> Iterator[tuple[str, Row, int | None]]:
    """The counts of --print-detailed-stats. The time without the barrier is that of the rates which it prints
    otherwise; a time of 0.000 s has none."""
    phase = match[1]
    objects, total_s = whole(match[_OBJECTS[phase]]), real(match["seconds"])
    if not objects or not total_s:
        return
    row = _row(phase, api, objects, objects / total_s, total_s) | {"lat_max_us": _us(match["slowest"])}
    bandwidth = real(match["bandwidth"])
    yield phase, row | ({"bw_mib_s": bandwidth} if bandwidth else {}), 0


def _row(phase: str, api: str, objects: int | None, rate: float | None, total_s: float | None) -> Row:
    return {
        "api": api,
        "access": _ACCESSES[phase],
        "item": "file",
        "ops": objects,
        "ops_s": rate,
        "io_s": total_s,
        "total_s": total_s,
        "experiment": phase,
    }


def _of_rates(match: re.Match[str], api: str) -> Iterator[tuple[str, Row, int | None]]:
    """Nothing where the line was cut."""
    phase, line = match.groups()
    counts, slowest = _COUNTS.search(line), _SLOWEST.search(line)
    if not counts or not slowest:
        return
    objects, rate = whole(counts[1]), real(counts[2])
    total_s = objects / rate if objects and rate else None
    row = _row(phase, api, objects, rate, total_s) | {"lat_max_us": _us(slowest[1])}
    kinds = list(_TIMES.finditer(line))
    if len(kinds) == 1:  # of several kinds of operations no one median is that of the phase
        row |= {"lat_min_us": _us(kinds[0][2]), "lat_p50_us": _us(kinds[0][3])}
    bandwidth = _BANDWIDTH.search(line)
    if bandwidth:
        row["bw_mib_s"] = real(bandwidth[1])
    yield phase, row, whole(slowest[2])


def _us(text: str) -> float | None:
    seconds = real(text)
    return None if seconds is None else seconds * 1e6


TOOL = MdWorkbench()
