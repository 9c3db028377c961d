"""The results of fio that are one result: of workers that ran at once, and reports of a run that went on.

fio reports each worker of numjobs by itself unless it has group_reporting, and its client those of each
server. A record is an access of all of them: it has what fio prints of a group. Percentiles of several
workers are not those of all their operations: only histograms add up.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weir.records.model import Message, Row
from weir.tools.engine import histogram

_MIB = 2**20
_SUMS = ("moved_bytes", "requested_bytes", "ops")
_CONDITIONS = ("xfer_bytes", "order", "iodepth", "direct", "rw_mix", "nn")
_START_S = 1.5  # fio prints in how many whole seconds after its start it reports
_GROWS, _COUNTS = ("N", "max"), ("io_bytes", "runtime", "total_ios")


@dataclass(frozen=True)
class WorkerResult:
    """An access of a worker, or of a group of them. at_once: the same for those that ran at the same time;
    own_files: each has a file of its own, as far as the output tells."""

    at_once: Hashable
    row: Row
    workers: int = 1
    host: str | None = None
    own_files: bool = False
    error: str = ""


def joined(results: Iterable[WorkerResult]) -> tuple[list[Row], list[Message]]:
    """A row for each access of those that ran at once, numbered where nothing tells two of them apart; and
    the errors, each with its row."""
    groups: dict[Hashable, list[WorkerResult]] = {}
    for at, one in enumerate(results):
        has_result = one.row.get("moved_bytes") is not None
        alone = None if has_result else at  # the error of a worker without a result is a record of its own
        groups.setdefault((one.at_once, one.row["access"], alone), []).append(one)
    rows: list[Row] = []
    messages: list[Message] = []
    iterations: Counter[str] = Counter()
    for group in groups.values():
        row = _of_all(group)
        observed = row["observed"]
        conditions = [row.get(name) for name in ("access", *_CONDITIONS)]
        alike_before = str([conditions, observed.get("path"), observed["workload"]])
        messages += [
            Message("error", text, len(rows)) for text in dict.fromkeys(x.error for x in group) if text
        ]
        rows.append(row | {"iteration": iterations[alike_before]})
        iterations[alike_before] += 1
    return rows, messages


def _of_all(group: Sequence[WorkerResult]) -> Row:
    rows, first = [one.row for one in group], group[0]
    workers, hosts = sum(one.workers for one in group), {one.host for one in group}
    row = _summed(rows) if len(rows) > 1 else rows[0]
    observed = dict(row["observed"])
    if workers > 1:
        observed["workload"] = observed["workload"] | {"workers": workers}
    if syncs := sum(one["observed"].get("syncs_reported", 0) for one in rows):
        observed["syncs_reported"] = syncs
    if flights := [one["observed"]["in_flight"] for one in rows if "in_flight" in one["observed"]]:
        is_exact = all(one["exact"] for one in flights)
        observed["in_flight"] = {"count": sum(one["count"] for one in flights), "exact": is_exact}
    row |= {"nn": None if None in hosts else len(hosts), "observed": observed}
    return row | ({"layout": "file-per-process"} if workers > 1 and first.own_files else {})


def _summed(rows: Sequence[Row]) -> Row:
    """The row that fio would print of a group: all bytes and operations over the time of the longest."""
    row = {name: value for name, value in rows[0].items() if not name.startswith("lat_")}
    row |= {name: _sum(rows, name) for name in _SUMS}
    total_s = max((one["total_s"] for one in rows if one["total_s"]), default=None)
    moved, ops = row["moved_bytes"], row["ops"]
    row |= {
        "total_s": total_s,
        "io_s": total_s,
        "bw_mib_s": moved / _MIB / total_s if total_s else None,
        "ops_s": ops / total_s if ops and total_s else None,
    }
    for name, end in (("lat_min_us", min), ("lat_max_us", max)):
        known = [one[name] for one in rows if one.get(name) is not None]
        row |= {name: end(known)} if len(known) == len(rows) else {}
    histograms = [one.get("lat_histogram") for one in rows]
    if all(histograms):
        row["lat_histogram"] = histogram(each for one in histograms for each in _classes(str(one)))
    return row


def _sum(rows: Sequence[Row], name: str) -> int | None:
    values = [row.get(name) for row in rows]
    return None if None in values else sum(value for value in values if value is not None)


def _classes(text: str) -> Iterator[tuple[float, int]]:
    """The upper edges and counts of a histogram in a record."""
    first, _, counts = text.partition(":")
    for at, count in enumerate(counts.split(";")):
        if count != "0":
            yield 2.0 ** (int(first) + at), int(count)


def last_documents(documents: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The documents but those behind which one of the same run stands: --status-interval prints what was
    counted since the start again and again."""
    return [
        one
        for at, one in enumerate(documents)
        if at + 1 == len(documents) or not _went_on(one, documents[at + 1])
    ]


def _went_on(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> bool:
    """Whether later reports the run of earlier again: both began at the same time, and no count fell. Two
    that are the same are copies."""
    begins = [_begin(one) for one in (earlier, later)]
    jobs = [[job for job in one["jobs"] if isinstance(job, dict)] for one in (earlier, later)]
    if begins[0] is None or begins[1] is None or abs(begins[0] - begins[1]) > _START_S:
        return False
    printed_ms = [one["timestamp_ms"] for one in (earlier, later) if isinstance(one.get("timestamp_ms"), int)]
    if len(printed_ms) == 2 and _lasted_ms(jobs[1]) <= printed_ms[1] - printed_ms[0]:
        return False  # it began after the other was over: fio tells whole seconds of its own time
    names = [
        [(job.get("jobname"), job.get("groupid"), job.get("job options")) for job in one] for one in jobs
    ]
    return (
        jobs[0] != jobs[1]
        and names[0] == names[1]
        and all(
            _grew(before.get(access), after.get(access))
            for before, after in zip(*jobs, strict=True)
            for access in ("read", "write")
        )
    )


def _lasted_ms(jobs: Sequence[Mapping[str, Any]]) -> float:
    """The time of the longest job of each group: groups may run one after the other."""
    longest: dict[object, float] = {}
    for job in jobs:
        of_accesses = [
            job[name].get("runtime") for name in ("read", "write") if isinstance(job.get(name), dict)
        ]
        known = [time for time in of_accesses if isinstance(time, int | float)]
        group = str(job.get("groupid"))
        longest[group] = max([longest.get(group, 0), *known])
    return sum(longest.values())


def _begin(document: Mapping[str, Any]) -> float | None:
    """When fio began, in seconds."""
    jobs = [job for job in document["jobs"] if isinstance(job, dict)]
    elapsed = jobs[0].get("elapsed") if jobs else None
    milliseconds, seconds = document.get("timestamp_ms"), document.get("timestamp")
    now = milliseconds / 1000 if isinstance(milliseconds, int) else seconds
    return now - elapsed if isinstance(elapsed, int) and isinstance(now, int | float) else None


def _grew(before: object, after: object) -> bool:
    """Whether all that fio counts since the start is as much as before, or more, and extremes are as far."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return before == after
    pairs = [(before.get(name), after.get(name)) for name in _COUNTS]
    for times in ("lat_ns", "clat_ns", "lat", "clat"):
        if isinstance(before.get(times), dict) and isinstance(after.get(times), dict):
            pairs += [(before[times].get(name), after[times].get(name)) for name in _GROWS]
            if before[times].get("N", 1):
                pairs.append((after[times].get("min"), before[times].get("min")))
    return all(
        low <= high for low, high in pairs if isinstance(low, int | float) and isinstance(high, int | float)
    )
