"""Reads the output of the original io-model: one line with the request, one line of results for each
rank."""

import math
import re
from collections.abc import Sequence
from typing import Any

from weir.records.model import Message, Parsed, Row
from weir.records.printed_values import real, whole

_MIB = 2**20
_LOCALITIES = ("off0", "seq", "rnd", "strideX", "rndX", "reverseX", "strideX,Y")
_RANDOM = (2, 4, 6)
_NUMBERS = ("accessSize", "maxRepeats", "fileSizeInMiB", "memBuffer", "seed")
_REQUESTED = re.compile(r"^io-model file:.*? memBuffer:", re.MULTILINE)
_FACT = re.compile(r"(\w+):(\S+)")
_RANK = re.compile(
    r"^(?P<rank>\d+): Runtime:(?P<runtime>[0-9.]+)s ops/s:[0-9.]+  MiB/s:[0-9.]+ "
    r"repeats:(?P<repeats>\d+) syncTime:(?P<sync>[0-9.]+)s",
    re.MULTILINE,
)
_SAID = re.compile(r"^(?:Error|ERROR|Fatal|Warning)\b.*", re.MULTILINE)
_TIMES_HEADER = "start_time, duration"
_QUANTILES = {"lat_p50_us": 0.5, "lat_p90_us": 0.9, "lat_p99_us": 0.99, "lat_p999_us": 0.999}


def parsed_output(text: str) -> Parsed:
    """One row for the one access of a run, if a rank told its result."""
    requested = _requested(text)
    ranks = list(_RANK.finditer(text))
    messages = list(messages_in(text))
    bad = any(one.level == "error" for one in messages)
    rows: list[Row] = []
    if requested and ranks and not bad:
        rows = [_row(requested, ranks)]
        if requested["prefill"]:
            messages.append(Message("warning", "the run time has the writing of the file before in it", 0))
    return Parsed(
        rows=tuple(rows),
        requested=requested,
        messages=tuple(messages),
        program="io-model",
        tool_version=str(requested.get("version", "")),
        complete=bool(rows),
    )


def messages_in(text: str) -> Sequence[Message]:
    """Each complaint once; that a device has no counters leaves the times as they are."""
    lines = dict.fromkeys(match[0].strip() for match in _SAID.finditer(text))
    return [Message("warning" if _is_harmless(line) else "error", line) for line in lines]


def holds_only_messages(text: str) -> bool:
    """Whether it is the log of a run that failed before it printed its request."""
    return all(_SAID.match(line) for line in text.splitlines() if line.strip())


def _is_harmless(line: str) -> bool:
    return line.startswith(("Warning", "Error reading from /sys/block"))


def _requested(text: str) -> dict[str, Any]:
    found = _REQUESTED.search(text)
    if found is None:
        return {}
    line = text[found.start() : text.find("\n", found.start())]
    facts = dict(_FACT.findall(line))
    numbers = {key: whole(facts.get(key)) for key in _NUMBERS}
    in_file, in_memory = (_kind_of(facts.get(key, "")) for key in ("localityFile", "localityMem"))
    if None in numbers.values() or in_file is None or in_memory is None:
        return {}
    return {
        "access": "read" if facts.get("isRead") == "1" else "write",
        "xfer_bytes": numbers["accessSize"],
        "operations": numbers["maxRepeats"],
        "file_bytes": (numbers["fileSizeInMiB"] or 0) * _MIB,
        "order": "random" if in_file in _RANDOM else "sequential",
        "prefill": facts.get("preWriteFile") == "1",
        "version": facts.get("programversion", ""),
    }


def _kind_of(text: str) -> int | None:
    """The first of the three numbers of 4-1048576-0, if it is a locality."""
    numbers = [whole(part) for part in text.split("-")]
    if len(numbers) != 3 or None in numbers or numbers[0] not in range(len(_LOCALITIES)):
        return None
    return numbers[0]


def _row(requested: dict[str, Any], ranks: Sequence[re.Match[str]]) -> Row:
    operations = sum(whole(rank["repeats"]) or 0 for rank in ranks)
    moved_bytes = operations * requested["xfer_bytes"]
    total_s = None if requested["prefill"] else max(real(rank["runtime"]) or 0.0 for rank in ranks)
    return {
        "api": "POSIX",
        **{name: requested[name] for name in ("access", "order", "xfer_bytes")},
        "iteration": 0,
        "layout": "file-per-process",
        "block_bytes": requested["file_bytes"],
        "stonewall_s": 0.0,
        "collective": False,
        "sync": True if requested["access"] == "write" else None,
        "direct": False,
        "moved_bytes": moved_bytes,
        "total_s": total_s,
        "sync_s": max(real(rank["sync"]) or 0.0 for rank in ranks),
        "bw_mib_s": moved_bytes / _MIB / total_s if total_s else None,
        "ops": operations,
        "ops_s": operations / total_s if total_s else None,
        "observed": {"tasks": len(ranks), "scattered": True},
    }


def is_times(text: str) -> bool:
    """Whether it is a file of the times of single operations."""
    return _without_comment(text).startswith(_TIMES_HEADER)


def latencies_of(texts: Sequence[str]) -> Row:
    """Columns from the times of all ranks; a last line that was cut does not count."""
    durations_us = sorted(one for text in texts for one in _durations_us(text))
    if not durations_us:
        return {}
    count = len(durations_us)
    row: Row = {"lat_min_us": durations_us[0], "lat_max_us": durations_us[-1]}
    return row | {name: durations_us[math.ceil(share * count) - 1] for name, share in _QUANTILES.items()}


def _durations_us(text: str) -> list[float]:
    lines = _without_comment(text).split("\n")[1:-1]
    times_s = (real(line.partition(",")[2].partition(",")[0].strip()) for line in lines)
    return [round(time_s * 1e6, 6) for time_s in times_s if time_s is not None]


def _without_comment(text: str) -> str:
    """A capture may say its command in a first line of its own."""
    return text.partition("\n")[2] if text.startswith("# ") else text
