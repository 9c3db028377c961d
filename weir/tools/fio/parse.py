"""Rows from the JSON or JSON+ document of fio: one for each job, or group of jobs, and access."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from weir.records.model import Message, Parsed, Row
from weir.tools.base import UNKNOWN_ACCESS
from weir.tools.engine import histogram
from weir.tools.fio.workers import WorkerResult, joined, last_documents
from weir.tools.outputs import binary_size, documents_at

# Options that have a column, a key of their own below, or that change what fio reports and not what it does.
_NO_WORKLOAD = re.compile(
    r"name|description|directory|filename|rw|rwmix(?:read|write)|iodepth|direct|numjobs"
    r"|output.*|write_\w+_log|log_\w+|per_job_logs|status-interval|eta\S*|minimal|aux-path|percentile_list"
    r"|group_reporting|new_group|stonewall|wait_for(?:_previous)?|exitall|lat_percentiles|clat_percentiles"
)


def workload_of(name: object, told: Mapping[str, str], file_bytes: int | None) -> dict[str, Any]:
    """told: the options of the job as the log has them; file_bytes: the bytes of each worker."""
    files = told.get("nrfiles", "")
    kept = {option: value for option, value in told.items() if not _NO_WORKLOAD.fullmatch(option)}
    found = {
        "job": str(name) if name else None,
        "files": int(files) if files.isdecimal() and 0 < len(files) < 10 and int(files) else None,
        "file_bytes": file_bytes,
        "options": kept or None,
    }
    return {key: value for key, value in found.items() if value is not None}


def path_of(name: object, told: Mapping[str, str]) -> str | None:
    """The file of a job, or one that stands for its files; none without a directory."""
    file = told.get("filename", "")
    if file.startswith("/"):
        return file
    directory = told.get("directory", "")
    return f"{directory.rstrip('/')}/{file or name}" if directory.startswith("/") else None


# Interface of the project by ioengine; another one is a text of its own.
INTERFACES: Mapping[str, str] = {
    **dict.fromkeys(("sync", "psync", "vsync", "pvsync", "pvsync2", "libaio", "posixaio"), "POSIX"),
    "io_uring": "URING",
    "mmap": "MMAP",
}
# Engines that move nothing to or from storage: fio counts bytes for names that are made and space that is
# reserved, too.
NO_STORAGE = (
    *("net", "netsplice", "null", "cpuio", "cpu", "exec", "falloc", "ftruncate"),
    *(f"{item}{call}" for item in ("file", "dir") for call in ("create", "stat", "delete")),
)
_ASYNCHRONOUS = frozenset(("libaio", "io_uring", "io_uring_cmd", "posixaio", "windowsaio", "solarisaio"))
# Options that fio applies where neither the command line nor the job file has them, on Linux.
_DEFAULTS: Mapping[str, str] = {"ioengine": "psync", "rw": "read", "bs": "4k", "iodepth": "1", "numjobs": "1"}
# A document without options (fio 2 with a job file) does not show what was requested.
_UNTOLD = ("api", "order", "rw_mix", "xfer_bytes", "iodepth", "direct", "sync")
_SYNCS = ("end_fsync", "fsync_on_close", "sync")
_SYNCS_EVERY = ("fsync", "fdatasync")  # so many writes of a job; the last ones have none
LEAST_SYNCED = 0.95
_OFF = ("0", "none", "")
OTHER_NAMES = {"blocksize": "bs", "readwrite": "rw", "filesize": "size", "io_size": "size"}
ENGINE = re.compile(r'\bioengine(?:=|" ?: ?")(\w+)')
LOG_START = re.compile(r'\{\s*"fio version"')
_PERCENTILES = {"lat_p50_us": "50.000000", "lat_p90_us": "90.000000", "lat_p99_us": "99.000000"}
_PERCENTILES |= {"lat_p999_us": "99.900000"}
_LEAST_COMPLETION = 0.95  # ratio to the mean of whole operations
_CLASS = 1.05  # a percentile is the edge of a class, which may be above the slowest operation in it
_MIB = 2**20
_LONGEST = 20  # digits of a number that can be

OUTPUT = re.compile(
    r'^fio-\d|"fio version"\s*:|: \(g=\d+\): rw=|: \(groupid=\d+, jobs=\d+\): err='
    r"|^(?:[3-9];fio-\d|2;[^;\n]*(?:;\d+){8};\d+\.\d)"
    r"|^[ \t\d]*(?:read|write|mixed) ?: (?:io|IOPS)=[^\s,]+, bw=",
    re.MULTILINE | re.IGNORECASE,
)
JOB_FILE = re.compile(r"^[ \t]*(?:ioengine|rw|readwrite|iodepth)[ \t]*=[ \t]*\S", re.MULTILINE)


def documents(text: str) -> list[dict[str, Any]]:
    """Each document in a text that may hold messages before and after it; of a run the last one."""
    return last_documents(list(_documents(text)))


def _documents(text: str) -> Iterator[dict[str, Any]]:
    for document, _ in documents_at(text, LOG_START):
        if isinstance(document.get("jobs"), list):
            yield document
        elif isinstance(document.get("client_stats"), list):
            jobs = document["client_stats"]
            yield document | {"jobs": [one for one in jobs if not _is_sum(one)]}


def _is_sum(job: object) -> bool:
    """Whether the entry is the sum of the jobs on several servers, which fio --client adds."""
    return isinstance(job, dict) and job.get("jobname") == "All clients"


def parse_document(document: Mapping[str, Any]) -> Parsed:
    """The rows; the jobs of a group count as one, whether fio reported them so (group_reporting) or not."""
    results: list[WorkerResult] = []
    messages: list[Message] = []
    shared = _options(document.get("global options"))
    entries = [job for job in document["jobs"] if isinstance(job, dict)]
    alike = Counter(map(_name_of, entries))
    for job in entries:
        own = _options(job.get("job options"))
        told = {**shared, **own}
        is_known = bool(told) and not _has_other_sections(job, told)
        options = {**_DEFAULTS, **told}
        jobs = _jobs_of_an_entry(_count(options["numjobs"]) or 1, alike[_name_of(job)]) if is_known else 1
        if options["ioengine"] in NO_STORAGE:
            continue
        for access, counts in _counts(job, options, told):
            counted = _today(counts)
            if isinstance(counted, dict) and _number(counted.get("io_bytes")) and _has_time(counted):
                row = _row(access, counted, options, jobs)
                if not is_known:
                    row |= dict.fromkeys((*_UNTOLD, "requested_bytes"))
                row["observed"] = _observed(job, told if is_known else shared | _as_one_option(own))
                if is_known:
                    row["observed"]["in_flight"] = _in_flight(options, jobs)
                if access == "write" and (syncs := _syncs(job)):
                    row["observed"]["syncs_reported"] = syncs
                if access == "write" and is_known and options.get("sync", "0") not in _OFF:
                    row["observed"]["writes_through"] = True  # by O_SYNC, which fio does not count
                at_once, host = (job.get("jobname"), job.get("groupid"), str(told)), job.get("hostname")
                results.append(
                    WorkerResult(
                        str(at_once), row, jobs, str(host) if host else None, "filename" not in options
                    )
                )
        if job.get("error"):
            name = job.get("jobname", "a job")
            messages.append(Message("error", f"{name}: error {job['error']}"))
    version = str(document.get("fio version", "")).removeprefix("fio-")
    rows, _ = joined(results)
    return Parsed(tuple(rows), {}, tuple(messages), "fio", version, complete=True)


def _has_other_sections(job: Mapping[str, Any], told: Mapping[str, str]) -> bool:
    """Whether a group has jobs of several sections: it has the name of the first one and the options of the
    last one. A job that verifies reads what it writes."""
    kind = told.get("rw", "").removeprefix("rand")
    others = {"read": ["write"], "write": ["read"] * (told.get("verify", "0") in _OFF)}.get(kind, [])
    counted = [_today(job.get(access)) for access in others]
    return told.get("name", job.get("jobname")) != job.get("jobname") or any(
        isinstance(one, dict) and _number(one.get("io_bytes")) for one in counted
    )


def _as_one_option(own: Mapping[str, str]) -> dict[str, str]:
    """The options of the last section: two groups whose others are unknown differ by them at least."""
    return {"last section": " ".join(f"{name}={value}" for name, value in own.items())} if own else {}


def _counts(
    job: Mapping[str, Any], options: Mapping[str, str], told: Mapping[str, str]
) -> Iterator[tuple[str, object]]:
    """The counts of each access; with unified_rw_reporting they are those of all, and nobody knows how much
    of a mix was read."""
    if "mixed" in job and "read" not in job:
        kind = options["rw"].removeprefix("rand") if told else ""
        yield kind if kind in ("read", "write") else UNKNOWN_ACCESS, job["mixed"]
    else:
        yield from ((access, job.get(access)) for access in ("write", "read"))


def failed_jobs(document: Mapping[str, Any]) -> tuple[Row, ...]:
    """A row without a number for each job that failed before it moved a byte: nobody knows its access."""
    shared = {**_DEFAULTS, **_options(document.get("global options"))}
    failed = [job for job in document["jobs"] if isinstance(job, dict) and job.get("error")]
    engines = [{**shared, **_options(job.get("job options"))}["ioengine"] for job in failed]
    row: Row = {"access": UNKNOWN_ACCESS, "observed": {}}
    return tuple(row | {"api": INTERFACES.get(one, one)} for one in engines if one not in NO_STORAGE)


def _syncs(job: Mapping[str, Any]) -> int | None:
    """The synchronisations that were timed: total_ios has their number in some releases, 0 in others."""
    counted = job.get("sync")
    times = counted.get("lat_ns") if isinstance(counted, dict) else None
    return _whole(times.get("N")) if isinstance(times, dict) else None


def _has_time(counted: Mapping[str, Any]) -> bool:
    """fio has no rate below half a millisecond, and with --verify_only, which does not do its writes."""
    return bool(_number(counted.get("runtime")) or _number(counted.get("bw_bytes")))


def _today(counted: object) -> object:
    """Counts of fio 2, whose io_bytes are KiB, and of all that have no bw_bytes: under the names of today."""
    if not isinstance(counted, dict) or "bw_bytes" in counted:
        return counted
    size, runtime_ms, bw_kib_s = (_number(counted.get(name)) for name in ("io_bytes", "runtime", "bw"))
    if not size or not runtime_ms or not bw_kib_s:
        return counted
    is_kib = size < 32 * bw_kib_s * runtime_ms / 1000  # 32 is the mean of 1 and 1024
    return counted | {"io_bytes": int(size) * (1024 if is_kib else 1), "bw_bytes": float(bw_kib_s * 1024)}


def _bandwidth(counted: Mapping[str, Any]) -> float | None:
    """The bandwidth in MiB/s: bytes over time where fio cut the quotient to whole bytes, or KiB, a second."""
    moved, runtime_ms = _whole(counted.get("io_bytes")), _number(counted.get("runtime"))
    printed = _number(counted.get("bw_bytes"))
    if moved and runtime_ms and printed is not None:
        exact = moved * 1000 / runtime_ms
        if 0 <= exact - printed < (1 if isinstance(printed, int) else 1024):
            return exact / _MIB
    return _scaled(counted.get("bw_bytes"), _MIB)


def _in_flight(options: Mapping[str, str], jobs: int) -> dict[str, Any]:
    """A group may have jobs of other sections, too. Engines that wait for each operation ignore the depth."""
    depth = _count(options["iodepth"]) if options["ioengine"] in _ASYNCHRONOUS else 1
    return {"count": max(jobs, 1) * (depth or 1), "exact": "group_reporting" not in options}


def _observed(job: Mapping[str, Any], told: Mapping[str, str]) -> Row:
    name, path = job.get("jobname"), path_of(job.get("jobname"), told)
    workload = workload_of(name, told, binary_size(told.get("size", "")))
    return {"workload": workload} | ({"path": path} if path else {})


def _options(options: object) -> dict[str, str]:
    if not isinstance(options, dict):
        return {}
    return {OTHER_NAMES.get(str(name), str(name)): str(value) for name, value in options.items()}


def _name_of(job: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(job.get(name)) for name in ("jobname", "groupid", "hostname", "job options"))


def _jobs_of_an_entry(numjobs: int, alike: int) -> int:
    """Whether fio reports by groups is not in the document where the option has no value. Without it each job
    has an entry of its own, all of one name."""
    return 1 if alike % numjobs == 0 else numjobs


def _row(access: str, counted: Mapping[str, Any], options: Mapping[str, str], jobs: int) -> Row:
    total_s = _scaled(counted.get("runtime"), 1000)
    engine, moved = options["ioengine"], _whole(counted.get("io_bytes"))
    row: Row = {
        "api": INTERFACES.get(engine, engine),
        "access": access,
        "order": "random" if "rand" in options["rw"] else "sequential",
        "xfer_bytes": binary_size(options["bs"].split(",")[0]),
        "iodepth": _count(options["iodepth"]),
        "rw_mix": _mix(options),
        "direct": options.get("direct", "0") not in _OFF,
        "layout": None,
        "moved_bytes": moved,
        "requested_bytes": _requested_bytes(options, jobs, moved or 0),
        "total_s": total_s,
        "io_s": total_s,
        "bw_mib_s": _bandwidth(counted),
        "ops": _whole(counted.get("total_ios")),
        "ops_s": _number(counted.get("iops")),
        "observed": {},
    }
    if access == "write":
        row["sync"] = _synchronises(options, jobs, row["ops"] or 0)
    row |= latencies(counted)
    return row


def _synchronises(options: Mapping[str, str], jobs: int, writes: int) -> bool:
    """Whether nearly all writes are synchronised when the clock stops."""
    if any(options.get(name, "0") not in _OFF for name in _SYNCS):
        return True
    every = [count for name in _SYNCS_EVERY if (count := _count(options.get(name, "0")))]
    return bool(every) and min(every) * jobs <= (1 - LEAST_SYNCED) * writes


def _mix(options: Mapping[str, str]) -> int | None:
    """Percentage of reads that was requested of a job that reads and writes at once."""
    if options["rw"].removeprefix("rand") not in ("rw", "readwrite"):
        return None
    writes = _count(options.get("rwmixwrite", ""))
    reads = _count(options.get("rwmixread", "50")) if writes is None else 100 - writes
    return reads if reads is not None and 0 <= reads < 100 else None


def _requested_bytes(options: Mapping[str, str], jobs: int, moved: int) -> int | None:
    """Unknown where a time ends the job, where reads and writes share the size, or where a group has jobs of
    other sections, too: it has the options of the last one and the bytes of all."""
    ends_early = options.get("runtime") or options.get("time_based", "0") not in _OFF
    size = binary_size(options.get("size", ""))
    if ends_early or size is None or "rw" in options["rw"].replace("readwrite", "rw"):
        return None
    loops = _count(options.get("loops", "1")) or 1
    requested = size * jobs * loops
    return requested if moved <= requested else None


def latencies(counted: Mapping[str, Any]) -> Row:
    """Times of whole operations, from the call that submits to the completion.

    fio has extremes of both and, unless lat_percentiles is set, percentiles of the completion alone."""
    whole, spread = latencies_of(counted)
    if whole is None:
        return {}
    spread = spread if spread and _is_possible(spread, whole) else None
    row: Row = {"lat_min_us": _scaled(whole.get("min"), 1000), "lat_max_us": _scaled(whole.get("max"), 1000)}
    percentiles = spread.get("percentile") if spread else None
    if isinstance(percentiles, dict):
        row |= {name: _scaled(percentiles.get(key), 1000) for name, key in _PERCENTILES.items()}
    bins = list(_bins(spread)) if spread else []
    return row | (
        {"lat_histogram": histogram((max(ns, 1) / 1e3, count) for ns, count in bins)} if bins else {}
    )


def latencies_of(counted: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]:
    """The times of whole operations, and those with percentiles where they describe whole operations too.

    A submission that blocks (buffered libaio, a full queue) takes most of the time: percentiles of the
    completion then say nothing about an operation."""
    whole, completion = (_counted(counted, name) for name in ("lat", "clat"))
    if whole is None or completion is None:
        return whole or completion, whole or completion
    if isinstance(whole.get("percentile"), dict) or isinstance(whole.get("bins"), dict):
        return whole, whole
    mean, completed = _number(whole.get("mean")), _number(completion.get("mean"))
    hides = mean is not None and completed is not None and completed < _LEAST_COMPLETION * mean
    return whole, None if hides else completion


def _is_possible(spread: Mapping[str, Any], whole: Mapping[str, Any]) -> bool:
    """fio 3.32 printed its last class, 17 s, of operations that took at most some milliseconds."""
    percentiles, slowest = spread.get("percentile"), _number(whole.get("max"))
    found = map(_number, percentiles.values()) if isinstance(percentiles, dict) else ()
    return not slowest or all(one is None or one <= _CLASS * slowest for one in found)


def _counted(counted: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """The times in nanoseconds, if any: early documents have no number of them, fio 2 has microseconds."""
    of_today = counted.get(f"{name}_ns")
    times = of_today if isinstance(of_today, dict) else _from_microseconds(counted.get(name))
    return times if times.get("N", times.get("mean")) else None


def _from_microseconds(times: object) -> dict[str, Any]:
    if not isinstance(times, dict):
        return {}
    percentiles = times.get("percentile")
    more = {"percentile": _thousandfold(percentiles)} if isinstance(percentiles, dict) else {}
    return _thousandfold(times) | more


def _thousandfold(numbers: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value * 1000 for name, each in numbers.items() if (value := _number(each)) is not None}


def _bins(latency: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """Edges in nanoseconds and counts, of JSON+ alone."""
    bins = latency.get("bins")
    for edge, count in bins.items() if isinstance(bins, dict) else ():
        if edge.isdecimal() and len(edge) < _LONGEST and isinstance(count, int) and count > 0:
            yield int(edge), count


def bins_us(job: object, access: str) -> Iterator[tuple[float, int]]:
    """The whole histogram of JSON+."""
    counted = job.get(access) if isinstance(job, dict) else None
    _, spread = latencies_of(counted) if isinstance(counted, dict) else (None, None)
    for edge_ns, count in _bins(spread or {}):
        yield edge_ns / 1e3, count


def _count(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < _LONGEST else None


def _number(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 10**_LONGEST:
        return value
    return None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and _number(value) is not None else None


def _scaled(value: object, divisor: float) -> float | None:
    """Divided: a product with 1e-3 has other digits than those that fio printed."""
    number = _number(value)
    return None if number is None else number / divisor
