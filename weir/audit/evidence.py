"""The minimum evidence for VALID, per kind of record. Evidence is there if one of its rules passed."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from weir.audit.subject import Subject


@dataclass(frozen=True)
class Evidence:
    """One thing that must be shown; rules: each of them shows it by passing."""

    meaning: str
    rules: tuple[str, ...]


EVIDENCE: dict[str, Evidence] = {
    "end": Evidence("the program came to its end", ("exit-code", "output-incomplete")),
    "request": Evidence("the output repeats what the cell requested", ("other-than-requested",)),
    "bytes": Evidence("the bytes were counted, and they are those requested", ("bytes-moved",)),
    "file": Evidence("the files have the size that fits the bytes", ("file-size",)),
    "sync": Evidence("every rank synchronised before the clock stopped", ("sync-not-applied",)),
    "stored": Evidence(
        "the kernel or the device counted the bytes on their way to the storage",
        ("bytes-not-stored", "sync-not-effective"),
    ),
    "fetched": Evidence("the bytes came from the storage, not from a cache", ("read-from-cache",)),
    "direct": Evidence("the file was open with O_DIRECT", ("direct-not-applied",)),
    "operations": Evidence("the operations were counted, and they are those requested", ("other-count",)),
    "file-system": Evidence("the files are on the file system that the target declares", ("other-target",)),
}
# Of an imported log nobody knows what was planned and where its files were.
_UNKNOWN_OF_A_LOG = ("request", "file-system")
_COMMON = ("end", "request", "file-system")
KINDS: dict[str, tuple[str, ...]] = {
    "write": (*_COMMON, "bytes", "file", "sync", "stored"),
    "write without synchronisation": (*_COMMON, "bytes", "file", "stored"),
    "buffered read": (*_COMMON, "bytes", "fetched"),
    "direct read": (*_COMMON, "bytes", "fetched", "direct"),
    "read of a warm cache": (*_COMMON, "bytes"),
    "metadata operation": (*_COMMON, "operations"),
    "node memory": (*_COMMON, "bytes", "file"),
    "nothing stored": ("end", "request"),
}


def kind_of(subject: Subject) -> str:
    """The line of the table that a record belongs to."""
    if subject.stores_nothing:
        return "nothing stored"
    if subject.is_metadata:
        return "metadata operation"
    if subject.in_memory:
        return "node memory"
    if subject.is_read:
        if warm_cache_requested(subject):
            return "read of a warm cache"
        return "direct read" if subject.row.get("direct") else "buffered read"
    return "write without synchronisation" if subject.row.get("sync") is False else "write"


def needed(subject: Subject) -> tuple[str, ...]:
    """Names of the evidence that a record needs."""
    names = KINDS[kind_of(subject)]
    return names if subject.run else tuple(name for name in names if name not in _UNKNOWN_OF_A_LOG)


def missing(subject: Subject, passed: Container[str]) -> tuple[str, ...]:
    """Names of the evidence that no rule gave."""
    if not subject.has_result:
        return ()
    return tuple(name for name in needed(subject) if not any(one in passed for one in EVIDENCE[name].rules))


def warm_cache_requested(subject: Subject) -> bool:
    """The cell measures the page cache on purpose."""
    return subject.cell is not None and subject.cell.params.get("cache") == "cached"


def evidence_table() -> list[str]:
    """Both tables as Markdown."""
    lines = ["| kind of record | VALID needs |", "|---|---|"]
    lines += [f"| {kind} | {', '.join(names)} |" for kind, names in KINDS.items()]
    without = ", ".join(_UNKNOWN_OF_A_LOG)
    lines.append(f"| imported log or table | as above without {without}: no plan and no machine is known |")
    lines += ["", "| evidence | meaning | given by any of these rules |", "|---|---|---|"]
    for name, evidence in EVIDENCE.items():
        links = ", ".join(f"[{one}](#{one})" for one in evidence.rules)
        lines.append(f"| {name} | {evidence.meaning} | {links} |")
    return lines
