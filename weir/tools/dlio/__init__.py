"""DLIO, and so MLPerf Storage: the summary.json that it leaves for each run of a workload is imported.

It counts samples, not bytes: an epoch has the rate of the samples and their size, and only counters that
were recorded beside it show that bytes were moved. Its GB and MB are GiB and MiB. There is a row for each
epoch of training and evaluation, one for all checkpoints that were saved, one for those that were loaded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from weir.terms.model import Parsed, Row
from weir.tools.base import LogTool
from weir.tools.dlio.recorded import Recorded, recorded_in

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
    output_pattern = re.compile(rf"{_START.pattern}|dlio_benchmark|^\[OUTPUT\].*DLIO", re.MULTILINE)

    def parse_log(self, text: str) -> Sequence[Parsed]:
        return [_parsed(document, following) for document, following in _documents(text)]


def _documents(text: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Each with the text until the next one."""
    decoder = json.JSONDecoder()
    starts = [match.start() for match in _START.finditer(text)]
    for start, following in pairwise([*starts, len(text)]):
        try:
            document, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(document.get("metric"), dict):
            yield document, text[end:following]


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
            yield _common(document, access, f"{name} checkpoints") | {
                "iteration": 0,
                "bw_mib_s": rate * 1024,
            }


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
