"""obdfilter-survey of the Lustre I/O kit: its summary, a line for each number of objects and threads, is
imported.

It runs on the servers, below the file system: no client, no page cache, no synchronisation. Its MB/s are
MiB/s. Threads are outstanding requests, and so the queue depth; objects tell experiments apart.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from weir.records.model import Message, Parsed, Row
from weir.records.printed_values import real, whole
from weir.tools.base import LogTool

_START = re.compile(r"^.{0,60}Obdfilter-survey for case=(disk|network|netdisk) from ", re.MULTILINE)
_LINE = re.compile(
    r"^ost +(\d{1,6}) sz +(\d{1,15})K rsz +(\d{1,9})K? obj +(\d{1,9}) thr +(\d{1,9}) (.*)$", re.MULTILINE
)
_TEST = re.compile(r"([a-z_]{1,20}) +([\d.]{1,20}) +(?:\[ *[\d.]{1,20}, *[\d.]{1,20}\]|(SHORT|ERROR))")


class ObdfilterSurvey(LogTool):
    """Writes, rewrites and reads of objects on the servers."""

    name = "obdfilter-survey"
    purpose = "bandwidth"
    log_start = _START
    output_pattern = re.compile(f"{_START.pattern}|{_LINE.pattern}", re.MULTILINE)

    def parse_log(self, text: str) -> Sequence[Parsed]:
        starts = [match.start() for match in _START.finditer(text)]
        starts = starts or ([0] if _LINE.search(text) else [])  # on a page often without its first line
        return [_parsed(text[begin:end]) for begin, end in pairwise([*starts, len(text)])]


def _parsed(text: str) -> Parsed:
    rows: list[Row] = []
    messages: list[Message] = []
    case = _START.search(text)
    for line in _LINE.finditer(text):
        for row, complaint in _rows(line, case[1] if case else "unknown case"):
            rows.append(row)
            if complaint == "ERROR":  # SHORT: over before there was a figure of each target
                messages.append(Message("error", "a storage target reported an error", len(rows) - 1))
    return Parsed(tuple(rows), {}, tuple(messages), "obdfilter-survey", "", complete=bool(rows))


def _rows(line: re.Match[str], case: str) -> Iterator[tuple[Row, str | None]]:
    kibibytes, xfer, threads = whole(line[2]), whole(line[3]), whole(line[5])
    for test in _TEST.finditer(line[6]):
        rate = real(test[2])
        moved = kibibytes * 1024 if kibibytes else None
        total_s = moved / 2**20 / rate if moved and rate else None
        row: Row = {
            "api": "OBD",
            "access": "write" if "write" in test[1] else "read",
            "order": "sequential",
            "iteration": 0,
            "xfer_bytes": xfer * 1024 if xfer else None,
            "iodepth": threads,
            "moved_bytes": moved,
            "total_s": total_s,
            "io_s": total_s,
            "bw_mib_s": rate,
            "experiment": f"{case}: {test[1]}, {line[4]} objects on {line[1]} targets",
            "observed": {},
        }
        yield row, test[3]


TOOL = ObdfilterSurvey()
