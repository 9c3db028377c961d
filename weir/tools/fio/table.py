"""Rows from what fio prints for people, which is what it does unless it is told otherwise.

Sizes have three digits there. Where all requests of an access have one size, their number gives the bytes;
else the rows have the least that is printed so, as a size or as a bandwidth. fio 2 writes KB for 1024 bytes
and cuts digits off.
"""

import re
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any

from weir.records.model import Parsed, Row
from weir.tools.base import UNKNOWN_ACCESS
from weir.tools.between import HAS_PROMPT, announced, noted, titled, written
from weir.tools.fio.parse import INTERFACES, LEAST_SYNCED, NO_STORAGE, OTHER_NAMES, latencies, workload_of
from weir.tools.fio.reports import (
    ACCESS,
    BOLD,
    COMMAND,
    GOES_ON,
    GROUP,
    OLD_SIZE,
    PRINTED,
    REAL,
    SIZE,
    Report,
    reports,
)
from weir.tools.fio.workers import WorkerResult, joined
from weir.tools.outputs import FENCE, binary_size, caption_of, multiplied

_MIB = 2**20
_OPTION = re.compile(r"(?:^|\s)--?(\w+)(?:[= ]\s*([^\s-]\S*))?")
_PROMPT = re.compile(r"[\w.-]{1,64}@[^#$\]]{1,80}(?=[#$\]])")  # user, host and directory
_JOB = re.compile(
    r"^(?:<\S{1,200}> )?(\S.*): \(g=\d+\): rw=(\w+), "
    rf"bs=(?:\(R\) ({SIZE})-({SIZE}), \(W\) ({SIZE})-({SIZE}), .*|"
    rf"({OLD_SIZE})-({OLD_SIZE})[/,]({OLD_SIZE})-({OLD_SIZE})[/,].*)ioengine=(\w+), iodepth=(\d{{1,9}})",
    re.MULTILINE,
)
_OPERATIONS = re.compile(rf"(?i:iops)= *({REAL})([kM]?)")
_TRIM = re.compile(r"^ *trim ?:", re.MULTILINE)
# The least, the greatest and the mean time of an operation: whole, or without its submission (clat).
_SPREAD = re.compile(
    r"^ *(c?lat) \(([num])sec\) ?: "
    + ", ".join(rf"{name}= *({REAL})([kKMG]?) ?" for name in ("min", "max", "avg")),
    re.MULTILINE,
)
_PERCENTILES = re.compile(r"^ *(c?lat) percentiles \(([num])sec\):\n((?: *\|.*\n)+)", re.MULTILINE)
_PERCENTILE = re.compile(rf"({REAL})th=\[ *(\d{{1,15}})\]")
_NANOSECONDS = {"n": 1, "u": 1000, "m": 1_000_000}
_DECIMAL = {"": 1, "k": 1000, "K": 1000, "M": 1000**2, "G": 1000**3}
_ISSUED = re.compile(
    r"^ *issued (?:rwts?: total=(\d{1,18}),(\d{1,18}),\d*(?:,(?P<syncs>\d{0,18}))?"
    r" short=(\d{1,18}),(\d{1,18}),"
    r"| *: total=r=(\d{1,18})/w=(\d{1,18})/d=\d+, short=r=(\d{1,18})/w=(\d{1,18})/)",
    re.MULTILINE,
)
_COUNTS = (1, 2, 4, 5, 6, 7, 8, 9)  # groups of reads and writes: issued, then those that were short
# An access with all lines that are as much indented or more, and what ends them.
_QUOTED = re.compile(
    rf"^( *){BOLD}(?:read|write|mixed) ?:.*\n"
    r"(?:\1[ \t]*[^\s`].*\n)*?(?:[ \t]*(?:\n|```)|Run status|(?!\1)\S.*\n)",
    re.MULTILINE,
)
_VERSION = re.compile(r"^fio[- ](\d\S*)$", re.MULTILINE)
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_NOT_PRINTED = "not printed"  # a page may have the results without the lines above them
_MOST_READS = 99
Job = Mapping[str, Any]


def parse_table(text: str) -> Parsed:
    """One row for each access of each job, or group of jobs."""
    jobs = [(match.start(), match[1], _job(match)) for match in _JOB.finditer(text)]
    commands = [(match.start(), _told(match)) for match in COMMAND.finditer(text)]
    versions = [(match.start(), match[1]) for match in _VERSION.finditer(text)]
    version = versions[0][1] if len({one for _, one in versions}) == 1 else ""
    waiting = iter([*jobs, (len(text), "", {})])
    job_place, job_name, job = next(waiting)
    last: dict[str, tuple[int, Job]] = {}  # of each name, the request that was printed last
    ended = set()
    results: list[WorkerResult] = []
    quoted = list(_without_quotations(text))
    for one, around in zip(quoted, _around(text, quoted), strict=True):
        while job_place < one.begin:
            last[job_name] = job_place, job
            job_place, job_name, job = next(waiting)
        at = bisect(commands, one.begin, key=itemgetter(0))
        commanded, told = commands[at - 1] if at else (-1, {})
        name = one.name or _only_name(last, commanded, told.get("command", ""))
        ended.add(name)
        printed_at, known = last.get(name, (-1, {}))
        known = known if printed_at >= commanded else _requested(name, told.get("command", ""))
        if one.number or one.accesses - {known.get("access", access) for access in one.accesses} - {"mixed"}:
            # Nobody knows whether the command is of further results, too.
            name, known, told = one.name, {}, {}
        if results and (one.number or not (one.run or known or told)):
            # Nobody knows whether it repeats one before it.
            told = {"result": str(len(results))}
        if known.get("engine") in NO_STORAGE:
            continue
        told = told | around
        is_followed = one.end < len(text)  # and so not cut
        found = list(_rows(text[one.begin : one.end] + "\n" * is_followed, known, not one.name))
        error = f"{name}: error {one.error}" if one.error != "0" else ""  # of this job, and not of the page
        at = bisect(versions, one.begin, key=itemgetter(0))
        own = versions[at - 1][1] if at and versions[at - 1][0] >= commanded else None
        workers = int(one.jobs[:9]) if one.name else _workers(text[one.begin : one.end], told)
        for row in found or ([_no_result(known)] if error else []):
            options = told | _whole_size(row) | row.pop("told", {})
            row["observed"]["workload"] = workload_of(name, options, None)
            row["tool_version"] = version or own
            # Without the lines before it nobody knows what ran beside a result.
            at_once = (one.run, name, one.group, one.jobs) if one.run else one.begin
            results.append(WorkerResult(at_once, row, workers, error=error))
    rows, messages = joined(results)
    have_all = all(name in ended for _, name, _ in jobs)
    for row in rows:  # fio prints results when all jobs have ended
        row["observed"]["all_results"] = have_all
    complete = "\nRun status group" in text
    return Parsed(tuple(rows), {}, tuple(messages), "fio", version, complete=complete)


def _around(text: str, found: Sequence[Report]) -> Iterator[dict[str, str]]:
    """Conditions of each report that the text tells besides its command. Notes have prompts before their
    commands; in a page with blocks of code the lines outside of these count."""
    places = [one.begin for one in found]
    commands = [(match.start(), HAS_PROMPT.match(match[1]) is not None) for match in COMMAND.finditer(text)]
    lists = [told(text, places, PRINTED) for told in (announced, titled, noted)]
    if FENCE in text:
        lists[1:] = [written(text, [*pairwise([0, *places])], COMMAND)] * 2
    for place, (line, title, note) in zip(places, zip(*lists, strict=True), strict=True):
        at = bisect(commands, place, key=itemgetter(0))
        above = note if at and commands[at - 1][1] else title
        told = {"caption": caption_of(text, place), "announced": line, "above": above}
        yield {name: value for name, value in told.items() if value}


def _whole_size(row: Row) -> dict[str, str]:
    """An option that tells jobs of two sizes apart, which fio does not print: one that ends with its bytes
    moved whole GiB, one that a time ends hardly ever."""
    moved, operations = row.get("moved_bytes") or 0, row.get("ops") or 0
    is_whole = moved and moved % 2**30 == 0 == operations % 2**10
    return {"moved": f"{moved >> 30} GiB"} if is_whole else {}


def _without_quotations(text: str) -> Iterator[Report]:
    """The reports; a page may have lines of one again in a summary, below the same heading."""
    found = [(one, caption_of(text, one.begin)) for one in reports(text)]
    lines = [
        {(caption, match.groups()) for match in ACCESS.finditer(text, one.begin, one.end)}
        for one, caption in found
    ]
    whole = set().union(
        *(own for (one, caption), own in zip(found, lines, strict=True) if one.name and caption)
    )
    for (one, _), own in zip(found, lines, strict=True):
        if one.name or not own or own - whole:
            yield one


def _told(command: re.Match[str]) -> dict[str, str]:
    """The options of a command, and where it was given: a file may have no directory in it."""
    prompt = _PROMPT.search(command[1])
    line = re.sub(rf"\s*{GOES_ON}\s*", " ", command[2]).strip()
    return {"command": line} | ({"prompt": prompt[0]} if prompt else {})


def _requested(name: str, command: str) -> Job:
    """The request of a job by its command, where a page has no line of the job; nothing by a command of
    another job, or of several."""
    found = [(option, value.strip("'\"")) for option, value in _OPTION.findall(multiplied(command))]
    options = {OTHER_NAMES.get(option, option): value for option, value in found}
    if [value for option, value in found if option == "name"] != [name] or "rw" not in options:
        return {}
    has_several = "bsrange" in options or "bssplit" in options
    sizes = "" if has_several else options.get("bs", "4k")
    engine, depth = options.get("ioengine", "psync"), options.get("iodepth", "1")
    return _of_request(engine, options["rw"], depth, [binary_size(size) for size in sizes.split(",")])


def _workers(section: str, told: Mapping[str, str]) -> int:
    """The number of jobs of a result without the line that counts them: those of its command, where fio
    summed them up."""
    given = _OPTION.findall(told.get("command", ""))
    options = dict(given)
    is_sum = options.get("group_reporting", "0") != "0" or ACCESS.search(section) is None
    is_one_job = [option for option, _ in given].count("name") == 1
    jobs = options.get("numjobs", "")
    is_count = jobs.isdecimal() and 0 < len(jobs) < 6 and int(jobs) > 0
    return int(jobs) if is_sum and is_one_job and is_count else 1


def _only_name(last: Mapping[str, tuple[int, Job]], commanded: int, command: str) -> str:
    """The job of a result whose line a page does not have: the only one printed since the command, or the
    only one of the command."""
    printed = [name for name, (place, _) in last.items() if place >= commanded]
    names = printed or [value.strip("'\"") for option, value in _OPTION.findall(command) if option == "name"]
    return names[0] if len(names) == 1 else ""


def _no_result(job: Job) -> Row:
    """The row of a job that failed before it printed a result: nobody knows its access."""
    return {
        "access": UNKNOWN_ACCESS,
        "api": job.get("api", _NOT_PRINTED),
        **{name: job.get(name) for name in ("order", "iodepth")},
        "observed": {},
    }


def _job(match: re.Match[str]) -> Job:
    sizes = match.group(3, 4, 5, 6) if match[3] else [_of_today(size) for size in match.group(7, 8, 9, 10)]
    ends = (sizes[:2], sizes[2:])
    exact = [_bytes(least) if least == most else None for least, most in ends]
    return _of_request(match[11], match[2], match[12], exact)


def _of_request(engine: str, rw: str, depth: str, sizes: Sequence[int | None]) -> Job:
    """sizes: of a read and of a write, or one of both."""
    access = rw.removeprefix("rand")
    return {
        "api": INTERFACES.get(engine, engine),
        "engine": engine,
        "order": "random" if "rand" in rw else "sequential",
        **({"access": access} if access in ("read", "write") else {}),  # a job that has no other
        "mixes": access in ("rw", "readwrite"),
        "iodepth": int(depth) if depth.isdecimal() and len(depth) < 10 else None,
        "read": sizes[0],
        "write": sizes[min(1, len(sizes) - 1)],
    }


def _of_today(size: str) -> str:
    """4K, 65536B, 65536 B, 64.0KiB or 19412MB of fio 2, as fio 3 writes it."""
    number = size.rstrip("KMGTPiB ")
    unit = size[len(number) :].rstrip("iB ")
    return f"{number}{unit}iB" if unit else f"{number}B"


def _rows(section: str, job: Job, is_alone: bool) -> Iterator[Row]:
    """The rows of a whole section. A section that is cut has no line of what was issued, nor has one of which
    a page quotes some lines alone: an empty line or that of the group ends these, where fio prints none."""
    issued = _ISSUED.search(section)
    pattern = GROUP if is_alone and ACCESS.search(section) is None else ACCESS
    if pattern is ACCESS and issued is None and not _QUOTED.search(section):
        return
    counts = [int(issued[at]) for at in _COUNTS if issued[at] is not None] if issued else []
    # fio 3 counts fdatasync behind its own counts, as short reads: where no read was issued, it is that.
    syncs = (int(issued["syncs"] or 0), 0 if counts[0] else counts[2]) if issued else (0, 0)
    lines = list(pattern.finditer(section))
    accesses = [match[1] for match in lines]
    # A page may quote the same access of other runs behind it; fio prints each once.
    found = [match for at, match in enumerate(lines) if match[1] not in accesses[:at]]
    ends = [*(match.start() for match in found[1:]), len(section)]
    for match, end in zip(found, ends, strict=False):  # a job that only trims has no access
        access = match[1].lower()
        requests, short = _issued(counts, access)
        cut = 1 if match[2] else 2
        speed, size = match.group(2, 3) if match[2] else map(_of_today, match.group(6, 5))
        # All of unified_rw_reporting have one size where those of reads and of writes are the same.
        xfer_bytes = job.get("read" if access == "mixed" and job.get("read") == job.get("write") else access)
        total_s = int(match[4] or match[7]) / 1000
        moved, by_rate = _least(size), int(_least(speed) * total_s)
        # The size of fio 2 may be a digit too high, and a page may contradict itself: the bandwidth counts.
        if moved < by_rate or (total_s and not _fits(int(moved / total_s), speed, 2 * cut)):
            moved = by_rate
        exact = (requests or 0) * (xfer_bytes or 0)
        # fio may count fewer operations than their bytes: the bandwidth has more digits than the size.
        is_rate = not total_s or _fits(int(exact / total_s), speed, cut) or not _fits(by_rate, size, cut)
        if exact and not short and is_rate and _fits(exact, size, cut):
            moved = exact
        yield {
            "access": job.get("access", UNKNOWN_ACCESS) if access == "mixed" else access,
            "api": job.get("api", _NOT_PRINTED),
            "rw_mix": _mix(*counts[:2]) if job.get("mixes") and counts and access != "mixed" else None,
            **{name: job.get(name) for name in ("order", "iodepth")},
            "xfer_bytes": xfer_bytes,
            "moved_bytes": moved,
            "total_s": total_s,
            "io_s": total_s,
            "bw_mib_s": moved / _MIB / total_s if total_s else None,
            "ops": requests,
            "ops_s": requests / total_s if requests is not None and total_s else _printed_ops(match[0]),
            **latencies(_times(_TRIM.split(section[match.end() : end], maxsplit=1)[0])),
            "observed": {},
            **(_synchronised(requests or 0, *syncs) if access == "write" and any(syncs) else {}),
        }


def _issued(counts: Sequence[int], access: str) -> tuple[int | None, int | None]:
    """The operations of an access, and those that were short."""
    if not counts:
        return None, None
    if access == "mixed":
        return sum(counts[:2]), sum(counts[2:])
    at = ("read", "write").index(access)
    return counts[at], counts[2 + at]


def _printed_ops(line: str) -> float | None:
    """Operations a second as fio prints them, in three digits: a page may lack the line of their number."""
    printed = _OPERATIONS.search(line)
    return round(float(printed[1]) * _DECIMAL[printed[2]], 3) if printed else None


def _synchronised(writes: int, fsyncs: int, fdatasyncs: int) -> Row:
    """The facts that a write has by its synchronisations. Where there are few, they do not tell after how
    many writes each one was."""
    counts = {name: n for name, n in (("fsync", fsyncs), ("fdatasync", fdatasyncs)) if n}
    told = {name: str(round(writes / n)) if 2 * writes <= n**2 else "some" for name, n in counts.items()}
    syncs = fsyncs + fdatasyncs
    is_each = syncs >= LEAST_SYNCED * writes
    return {"told": told, "observed": {"syncs_reported": syncs}} | ({"sync": True} if is_each else {})


def _times(lines: str) -> dict[str, Any]:
    """The latencies of an access under the names of the JSON document."""
    times: dict[str, Any] = {}
    for match in _SPREAD.finditer(lines):
        numbers = [float(match[at]) * _DECIMAL[match[at + 1]] * _NANOSECONDS[match[2]] for at in (3, 5, 7)]
        times[f"{match[1]}_ns"] = dict(zip(("min", "max", "mean"), numbers, strict=True))
    for match in _PERCENTILES.finditer(lines):
        found = {f"{float(share):.6f}": int(value) for share, value in _PERCENTILE.findall(match[3])}
        in_ns = {share: value * _NANOSECONDS[match[2]] for share, value in found.items()}
        times.get(f"{match[1]}_ns", {})["percentile"] = in_ns
    return times


def _mix(reads: int, writes: int) -> int:
    """Percentage of reads, to the next 5: what was requested is not printed, and is met by chance."""
    return min(5 * round(20 * reads / max(reads + writes, 1)), _MOST_READS)


def _unit(text: str) -> int:
    letters = text.lstrip("0123456789.")
    return int((1024 if "i" in letters else 1000) ** _POWERS[letters[0] if len(letters) > 1 else ""])


def _bytes(text: str) -> int:
    return round(float(text.rstrip("KMGTPiB")) * _unit(text))


def _margin(text: str) -> float:
    """The rounding error of a size with three digits."""
    digits = text.rstrip("KMGTPiB")
    places = len(digits.partition(".")[2])
    return float(0.5 * 10**-places * _unit(text))


def _fits(bytes_: int, text: str, cut: int) -> bool:
    """fio 3.1 prints a fraction that rounds to 1 as .0, without its carry: 24.99 GiB are 24.0GiB."""
    margin = cut * _margin(text)
    has_no_fraction = re.match(r"\d+\.0+\D", text) is not None
    carried = _bytes(text) + (_unit(text) if has_no_fraction else 0)
    return abs(bytes_ - _bytes(text)) <= margin or abs(bytes_ - carried) <= margin


def _least(text: str) -> int:
    return int(_bytes(text) - _margin(text))
