"""Finds the reports of jobs in what fio prints for people, and in what pages and scripts keep of it."""

import re
from bisect import bisect
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from weir.tools.outputs import FENCE

BOLD = "[*_]{0,3}"  # of a page
REAL = r"\d{1,15}(?:\.\d{1,9})?"
SIZE = rf"{REAL}[KMGTP]?i?B"
OLD_SIZE = rf"{REAL}(?: B|[KMGTP]?i?B?)"
GOES_ON = r"\\[ \t]*\n"
COMMAND = re.compile(
    rf"^(.{{0,80}}?)\bfio +(?:{GOES_ON}[ \t]*)?(-(?:[^\\\n]|{GOES_ON}|\\.){{1,4000}})$", re.MULTILINE
)
TABLE = re.compile(
    r"^(\S.*): \(groupid=(\d+), jobs=(\d+)\): err= *(\d+)(?:.{0,200}?: pid=([1-9]\d{0,9})\b)?", re.MULTILINE
)
START = re.compile(r"^\S.*: \(g=\d+\): rw=", re.MULTILINE)
_RUN = re.compile(rf"^(?:fio-\d|Starting \d|hostname=)|{START.pattern}|{COMMAND.pattern}", re.MULTILINE)
_END = re.compile(r"^[ \t]*Run status group 0\b", re.MULTILINE)
# Commands, and lines of fio, whose blanks before them a page may lack.
PRINTED = re.compile(
    rf"{COMMAND.pattern}|^(?:.*\(f=\d.*|Starting \d.*|fio[-:].*|Run status .*|Disk stats .*|\.\.\.|note: .*"
    r"|(?:[sc]?lat|bw|iops|cpu|IO depths|submit|complete|issued|latency|sync|read|write|READ|WRITE)\b.*[:=].*"
    r"|\| *[\d.]+th=.*|\S+: ios=.*"
    r"|.*: \((?:g=\d+\): rw=|groupid=\d+, jobs=).*|.*: (?:Laying out|No) (?:IO|I/O) .*)$",
    re.MULTILINE,
)
_SUM = "All clients"  # what fio --client prints behind the results of the servers
ACCESS = re.compile(
    rf"^ *{BOLD}(read|write|mixed) ?: ?(?:IOPS=.*BW=({SIZE})/s.*\(({SIZE})/(\d{{1,15}})msec\)"
    rf"|io=({OLD_SIZE}), bw=({OLD_SIZE})/s.*runt= *(\d{{1,15}})msec)",
    re.MULTILINE,
)
# The sum of the jobs of a group, which some keep alone.
GROUP = re.compile(
    rf"^[ \t]*(READ|WRITE|MIXED): (?:bw=({SIZE})/s [^,\n]*,[^,\n]*, io=({SIZE}) [^,\n]*, "
    rf"run= *\d{{1,15}}-(\d{{1,15}})msec"
    rf"|io=({OLD_SIZE}), aggrb=({OLD_SIZE})/s,.*\bmaxt= *(\d{{1,15}})msec)",
    re.MULTILINE,
)
_OF_AN_ACCESS = re.compile(r".*\n(?:[ \t]*(?:[sc]?lat|bw|iops|\|).*\n)*")  # from behind its numbers
# Lines of jobs behind a margin that an import takes away when it finds nothing else.
_WITH_MARGIN = re.compile(r"^[\s>|].*: \((?:groupid=\d+, jobs=|g=\d+\): rw=)", re.MULTILINE)


class Report(NamedTuple):
    """A part of the text that fio printed of a job. run: the number of its process, 0 where the text has no
    lines before it; name: empty where a page has no line of the job."""

    begin: int
    end: int
    run: int = 0
    name: str = ""
    group: str = ""
    jobs: str = "1"
    error: str = "0"
    number: int = 0  # of those behind one command, or one request; 0 where it can be of them
    accesses: frozenset[str] = frozenset()  # of one without a line of a job


def reports(text: str) -> list[Report]:
    """All reports in their order."""
    return sorted([*_reports(text), *_alone(text)])


def _marks(text: str) -> list[tuple[int, bool]]:
    """The places where a report or another run begins, and whether it is a report."""
    starts = [(match.start(), True) for match in TABLE.finditer(text)]
    return sorted(
        [*starts, *((match.start(), False) for match in COMMAND.finditer(text)), (len(text), False)]
    )


def _alone(text: str) -> Iterator[Report]:
    """Results of which a page has the lines of the accesses alone, or those of their group, behind a command
    or at its beginning. fio prints each access of a job once, and its times alone between two of them."""
    if _WITH_MARGIN.search(text):
        return
    is_one_of_several = False  # commands that stand in a row in one block, without a prompt
    for (begin, is_report), (end, _) in pairwise([(0, False), *_marks(text)]):
        pattern = GROUP if ACCESS.search(text, begin, end) is None else ACCESS
        groups: list[tuple[int, list[str]]] = []
        before = begin
        for match in () if is_report else pattern.finditer(text, begin, end):
            access = match[1].lower()
            is_first = not groups or access in groups[-1][1]
            if is_first or not _OF_AN_ACCESS.fullmatch(text, before, match.start()):
                groups.append((match.start(), []))
            groups[-1][1].append(access)
            before = match.end()
        command = COMMAND.match(text, begin) if end > begin else None
        is_prompted = command is not None and command[1].rstrip().endswith(("$", "#", "%", ">"))
        first = 1 if is_one_of_several and not is_prompted else 0
        ends = [*(place for place, _ in groups[1:]), end]
        for number, ((place, accesses), behind) in enumerate(zip(groups, ends, strict=False), first):
            yield Report(place, behind, number=number, accesses=frozenset(accesses))
        is_one_of_several = command is not None and not groups and FENCE not in text[begin:end]


def _reports(text: str) -> Iterator[Report]:
    """The last report of each job: what fio prints of a process again (--status-interval) is counted since
    its start."""
    starts = list(TABLE.finditer(text))
    begins = [match.start() for match in _RUN.finditer(text)]
    runs = [bisect(begins, match.start()) for match in starts]
    names = [(run, *match.group(1, 2, 3, 5)) for run, match in zip(runs, starts, strict=True)]
    last = {name: at for at, name in enumerate(names)}
    # Another process behind the end of a run is of another run; a client prints an end for each server.
    ends = [] if any(match[1] == _SUM for match in starts) else [one.start() for one in _END.finditer(text)]
    first = {name: match.start() for name, match in reversed(list(zip(names, starts, strict=True)))}
    marks = [place for place, _ in _marks(text)]
    with_servers = {run for run, match in zip(runs, starts, strict=True) if match[1] != _SUM}
    for at, (match, run) in enumerate(zip(starts, runs, strict=True)):
        is_sum = match[1] == _SUM and run in with_servers
        if not is_sum and (not run or match[5] is None or last[names[at]] == at):
            end = marks[bisect(marks, match.start())]
            began = first[names[at]] if match[5] else match.start()
            ended = bisect(ends, began) - bisect(ends, begins[run - 1]) if run else 0
            number = run and run + bisect(ends, began)
            yield Report(match.start(), end, number, match[1], match[2], match[3], match[4], ended)
