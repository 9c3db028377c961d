"""The cell of an imported result, by all that its log tells, and the number of its repetition."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from weir.audit.subject import Subject
from weir.base.units import format_size
from weir.records.columns import cell_columns, cell_facts
from weir.records.model import Row, tasks_of
from weir.tools.base import UNKNOWN_ACCESS

_DEVICES, _NO_DEVICES = "/dev/", "/dev/shm/"
_MOUNTS = ("", "/mnt", "/media")  # whose directories are file systems of their own


def identified(subjects: Iterable[Subject]) -> Iterator[Subject]:
    """A cell for each set of conditions, so that reads and writes and repetitions find each other.

    Logs of different systems look alike: unless site and target are known, the source is a condition, and
    so is the directory in which the run had its file or directory. A difference that no column has, such as
    the name of a job or the size of its files, is one, too.
    """
    for subject in subjects:
        row = subject.row
        if row["verdict"] and row["cell"]:
            yield subject
            continue
        is_located = bool(row["site"] and row["target"])
        conditions = [None if is_located else row["source"], *(row[name] for name in cell_columns())]
        # A fact that is none is what every program does without an option.
        seen = ((name, subject.observed.get(name)) for name in cell_facts())
        told = {name: fact for name, fact in seen if fact and fact != "none"}
        if _is_uneven(row):
            told["tasks"] = row["tasks"]
        # Results of which nothing more is told keep the cells that earlier versions gave them.
        more = [*([] if is_located else _place(subject)), *([told] if told else [])]
        cell = hashlib.sha256(json.dumps([*conditions, *more], sort_keys=True).encode()).hexdigest()[:12]
        label = row["label"] or _label(row, told.get("workload", {}))
        yield replace(subject, row=row | {"cell": cell, "label": label})


def _is_uneven(row: Row) -> bool:
    """Whether the number of tasks does not follow from the nodes and the tasks on each."""
    return row["tasks"] is not None and row["tasks"] != tasks_of(row | {"tasks": None})


def _place(subject: Subject) -> list[str]:
    """The directory of a file, because repetitions often have a file each, beside each other; a device, and a
    directory where a file system is mounted, by its name. Results of which not even the access is known are
    no repetitions."""
    if subject.row["access"] == UNKNOWN_ACCESS:
        return [str(subject.row["iteration"])]
    path = str(subject.observed.get("path") or "")
    if path.startswith(_DEVICES) and not path.startswith(_NO_DEVICES):
        return [path]
    above = path.rstrip("/").rpartition("/")[0]
    is_mount = subject.row["directories"] and above in _MOUNTS  # results with these have no file for a path
    return [path.rstrip("/") if is_mount else above] if path.startswith("/") else []


def counted(subjects: Iterable[Subject]) -> Iterator[Subject]:
    """The same iteration again is that of another run: its number goes on."""
    seen: Counter[tuple[Any, ...]] = Counter()
    next_iteration: Counter[tuple[Any, ...]] = Counter()
    for subject in subjects:
        row = subject.row
        if row["verdict"] and row["run"] is not None:
            yield subject
            continue
        place = (row["cell"], row["access"])
        printed = row["iteration"] or 0  # a table need not number them
        run = seen[(*place, printed)]
        seen[(*place, printed)] += 1
        iteration = printed if run == 0 else next_iteration[place]
        next_iteration[place] = max(next_iteration[place], iteration + 1)
        yield replace(subject, row=row | {"run": run, "iteration": iteration})


def _label(row: Row, workload: Mapping[str, Any]) -> str:
    sizes = [_size(row[name]) for name in ("xfer_bytes", "block_bytes") if row[name]]
    terms = [row["api"], row["layout"], row["order"], row["item"], row["directories"], " of ".join(sizes)]
    terms += [workload.get("job"), _files(workload)]
    terms += [f"{workload['workers']} workers" if workload.get("workers") else None]
    shape = f"{row['nn']}x{row['ppn']}" if row["nn"] and row["ppn"] else None
    count = row["tasks"]
    tasks = f"({count} task{'s' if count > 1 else ''})" if _is_uneven(row) else None
    return " ".join(str(term) for term in (*terms, shape, tasks) if term)


def _files(workload: Mapping[str, Any]) -> str:
    """Such as '16 files of 256KiB'."""
    files, file_bytes = workload.get("files"), workload.get("file_bytes")
    count = ("1 file" if files == 1 else f"{files:,} files") if files else ""
    return " ".join([*([count] if count else []), *([f"of {_size(file_bytes)}"] if file_bytes else [])])


def _size(size_bytes: int) -> str:
    return format_size(size_bytes).replace(" ", "")
