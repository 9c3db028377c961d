"""DLIO, and so MLPerf Storage: the summary.json that it leaves for each run of a workload is imported.

It counts samples, not bytes: an epoch has the rate of the samples and their size, and only counters that
hosts recorded beside it show that bytes were moved. Its GB and MB are GiB and MiB. There is a row for each
epoch of training and evaluation, one for all checkpoints that were saved, one for those that were loaded.

DLIO leaves begin and end of the epochs in per_epoch_stats.json, in UTC, and has iostat.json of its profiler
iostat. The form is that of sysstat (`iostat -o JSON`, `sadf -j`), of as many hosts as the run had.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from weir.records.model import Parsed, Row
from weir.tools.base import LogTool
from weir.tools.outputs import documents_at

_EPOCHS = re.compile(r'^\{\s*"1": \{\s*"start": "', re.MULTILINE)
_SYSSTAT = re.compile(r'^\{\s*"sysstat": \{', re.MULTILINE)
_UNITS = {"rMB/s": 2**20, "rkB/s": 2**10, "MB_read/s": 2**20, "kB_read/s": 2**10, "rxkB": 2**10}
# A layer above others has their bytes again; memory has none of the storage.
_LAYERS = re.compile(r"dm-|md\d|loop|ram|zram|lo$|bond|br-|br\d|virbr|docker|veth|cni|ifb|.*\.\d+$")
_COVERED = 0.9  # share of an epoch: the reports come once a second, and have whole seconds

Span = tuple[float, float]


@dataclass(frozen=True)
class Recorded:
    """The counters of an epoch: fetched_bytes is None where `reason` tells why."""

    fetched_bytes: int | None
    reason: str = ""


@dataclass(frozen=True)
class _Report:
    span: Span
    disks: float
    networks: float


def recorded_in(text: str, hosts: int | None) -> dict[tuple[str, int], Recorded]:
    """The counters by train or eval and the number of the epoch, from 0; empty where no epoch has times."""
    by_host: dict[str, list[_Report]] = {}
    for document, _ in documents_at(text, _SYSSTAT):
        for name, host in _hosts(document):
            by_host.setdefault(name, []).extend(_reports(host))
    epochs, _ = next(documents_at(text, _EPOCHS), ({}, 0))
    return {
        (kind, int(number) - 1): _of_epoch(spans, by_host, hosts)
        for number, epoch in epochs.items()
        if number.isdecimal() and isinstance(epoch, dict)
        for kind in ("train", "eval")
        if (spans := list(_spans(epoch, kind)))
    }


def _spans(epoch: Mapping[str, Any], kind: str) -> Iterator[Span]:
    """Checkpoints between the blocks of a training are none of its reads."""
    for name, part in epoch.items():
        if name.startswith("block" if kind == "train" else "eval") and isinstance(part, dict):
            ends = [_time(part.get(end)) for end in ("start", "end")]
            if ends[0] is not None and ends[1] is not None:
                yield ends[0], ends[1]


def _hosts(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    found = document.get("sysstat")
    for host in (found.get("hosts") or []) if isinstance(found, dict) else []:
        if isinstance(host, dict) and isinstance(host.get("statistics"), list):
            yield str(host.get("nodename")), host


def _reports(host: Mapping[str, Any]) -> Iterator[_Report]:
    before = None
    for one in host["statistics"]:
        stamp = one.get("timestamp") if isinstance(one, dict) else None
        ended = _time(stamp)
        if ended is None:
            continue
        interval = stamp.get("interval") if isinstance(stamp, dict) else None
        lasted = float(interval) if isinstance(interval, int) else ended - before if before else 1.0
        network = one.get("network")
        interfaces = network.get("net-dev") if isinstance(network, dict) else None
        disks, networks = _rate(one.get("disk"), "disk_device"), _rate(interfaces, "iface")
        yield _Report((ended - lasted, ended), disks * lasted, networks * lasted)
        before = ended


def _rate(parts: object, name: str) -> float:
    """Bytes read or received in a second."""
    return sum(
        float(part[unit]) * factor
        for part in (parts if isinstance(parts, list) else [])
        if isinstance(part, dict) and not _LAYERS.match(str(part.get(name)))
        for unit, factor in _UNITS.items()
        if isinstance(part.get(unit), int | float)
    )


def _time(stamp: object) -> float | None:
    """A time in seconds; without a zone it is UTC, as DLIO has it."""
    if isinstance(stamp, dict):
        stamp = f"{stamp.get('date')}T{stamp.get('time')}" if stamp.get("utc") else None
    if not isinstance(stamp, str):
        return None
    for read in (datetime.fromisoformat, lambda text: datetime.strptime(text, "%m/%d/%y %H:%M:%S")):
        try:
            found = read(re.sub(r"([+-]\d\d)(\d\d)$", r"\1:\2", stamp))
        except ValueError:
            continue
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    return None


def _of_epoch(spans: Sequence[Span], by_host: Mapping[str, Sequence[_Report]], hosts: int | None) -> Recorded:
    if len(by_host) < (hosts or 1):
        return Recorded(None, f"counters were recorded on {len(by_host)} of {hosts or 'unknown'} hosts")
    totals = [0.0, 0.0]
    for name, reports in by_host.items():
        for begin, end in spans:
            parts = [(one, _overlap(one.span, (begin, end))) for one in reports]
            if sum(seconds for _, seconds in parts) < _COVERED * (end - begin):
                return Recorded(None, f"the counters of {name} do not cover the epoch (in UTC)")
            for one, seconds in parts:
                share = seconds / (one.span[1] - one.span[0]) if seconds else 0.0
                totals[0] += share * one.disks
                totals[1] += share * one.networks
    return Recorded(round(max(totals)))


def _overlap(one: Span, other: Span) -> float:
    return max(min(one[1], other[1]) - max(one[0], other[0]), 0.0)


# Before version 2 a document may begin with the model, or with the accelerators alone.
_START = re.compile(
    r'^\{\s*(?:"model": "[^"]{1,40}",\s*)?'
    r'(?:"start": "[^"]{1,40}",\s*"num_accelerators": |"num_accelerators": \d{1,9},\s*"hostname": )',
    re.MULTILINE,
)
_GIB = 2**30
_MIB = 2**20
_NOT_PRINTED = "not printed"  # the interface to the storage


class Dlio(LogTool):
    """Epochs of training and evaluation, and checkpoints."""

    name = "dlio"
    purpose = "application"
    log_start = _START
    beside = ("per_epoch_stats.json", "iostat*.json", "sar*.json")
    summary = "summary.json"
    output_pattern = re.compile(rf"{_START.pattern}|dlio_benchmark|^\[OUTPUT\].*DLIO", re.MULTILINE)

    def parse_log(self, text: str) -> Sequence[Parsed]:
        return [_parsed(document, following) for document, following in _documents(text)]


def _documents(text: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Each with the text until the next one."""
    for document, end in documents_at(text, _START):
        if isinstance(document.get("metric"), dict):
            following = _START.search(text, end)
            yield document, text[end : following.start() if following else len(text)]


def _parsed(document: Mapping[str, Any], following: str) -> Parsed:
    recorded = recorded_in(following, _whole(document.get("num_hosts")))
    rows = []
    for kind in ("train", "eval"):
        for row in _epochs(document, kind):
            rows.append(_with_counters(row, recorded.get((kind, row["iteration"]))))
    rows += _checkpoints(document)
    return Parsed(tuple(rows), {}, (), "DLIO", "", complete=bool(document.get("end")))


def _epochs(document: Mapping[str, Any], kind: str) -> Iterator[Row]:
    metric = document["metric"]
    rates = metric.get(f"{kind}_throughput_samples_per_second")
    busy = metric.get(f"{kind}_au_percentage")
    mean_mib_s = _number(metric.get(f"{kind}_io_mean_MB_per_second"))
    mean_samples_s = _number(metric.get(f"{kind}_throughput_mean_samples_per_second"))
    sample_mib = mean_mib_s / mean_samples_s if mean_mib_s and mean_samples_s else None
    files, samples = _whole(document.get(f"num_files_{kind}")), _whole(document.get("num_samples_per_file"))
    size = round(files * samples * sample_mib * _MIB) if files and samples and sample_mib else None
    for epoch, rate in enumerate(rates if isinstance(rates, list) else ()):
        samples_s = _number(rate) or 0.0  # none: no step was completed
        common = _common(document, "read", kind)
        share = _number(busy[epoch]) if isinstance(busy, list) and epoch < len(busy) else None
        if share and sample_mib:
            common["observed"] |= {"sample_bytes": sample_mib * _MIB, "accelerators_busy": share / 100}
        yield common | {
            "iteration": epoch,
            "file_bytes": size,
            "ops_s": samples_s,
            "bw_mib_s": samples_s * (sample_mib or 0.0),
        }


def _with_counters(row: Row, recorded: Recorded | None) -> Row:
    """An epoch reads the samples of the whole data set."""
    if recorded is None:
        return row
    if recorded.fetched_bytes is None:
        return row | {"observed": {**row["observed"], "device": {"name": None, "reason": recorded.reason}}}
    return row | {"moved_bytes": row["file_bytes"], "fetched_bytes": recorded.fetched_bytes}


def _checkpoints(document: Mapping[str, Any]) -> Iterator[Row]:
    metric = document["metric"]
    for name, access in (("save", "write"), ("load", "read")):
        rate = _number(metric.get(f"{name}_checkpoint_io_mean_GB_per_second"))
        if rate:
            yield _common(document, access, f"{name} checkpoints") | {"iteration": 0, "bw_mib_s": rate * 1024}


def _common(document: Mapping[str, Any], access: str, experiment: str) -> Row:
    memory = document.get("host_memory_GB")
    least = min((_number(one) or 0.0 for one in memory), default=0.0) if isinstance(memory, list) else 0.0
    observed: Row = {"memory_bytes": round(least * _GIB)} if least > 0 else {}
    if workload := _workload(document):
        observed["workload"] = workload
    nodes, ranks = (_whole(document.get(name)) for name in ("num_hosts", "num_accelerators"))
    return {
        "api": _NOT_PRINTED,
        "access": access,
        "nn": nodes or None,
        "tasks": ranks or None,
        "ppn": ranks // nodes if nodes and ranks and ranks % nodes == 0 else None,
        "experiment": experiment,
        "began": str(document.get("start", "")),
        "observed": observed,
    }


def _workload(document: Mapping[str, Any]) -> dict[str, Any]:
    """The model, and the files of its data set with the samples in each."""
    model, files = document.get("model"), _whole(document.get("num_files_train"))
    samples = _whole(document.get("num_samples_per_file"))
    found: dict[str, Any] = {"job": model} if isinstance(model, str) and model else {}
    found |= {"files": files} if files else {}
    return found | ({"options": {"samples per file": str(samples)}} if samples else {})


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _number(value: object) -> float | None:
    """The value if it is a number above 0."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 < float(str(value)) < float("inf") else None  # type: ignore[arg-type]


TOOL = Dlio()
