"""The minimum evidence for VALID, per kind of record. Evidence is there if one of its rules passed."""

from collections.abc import Callable, Container
from dataclasses import dataclass

from weir.audit.subject import Subject
from weir.records.columns import columns


@dataclass(frozen=True)
class Evidence:
    """One thing that must be shown; rules: each of them shows it by passing."""

    name: str
    rules: tuple[str, ...]

    @property
    def meaning(self) -> str:
        return columns()["missing"].texts[self.name]

    def is_given(self, passed: Container[str]) -> bool:
        return any(one in passed for one in self.rules)


EVIDENCE: dict[str, Evidence] = {
    name: Evidence(name, rules)
    for name, rules in {
        "end": ("exit-code", "output-incomplete"),
        "request": ("other-than-requested",),
        "bytes": ("bytes-moved",),
        "file": ("file-size",),
        "sync": ("sync-not-applied",),
        "stored": ("bytes-not-stored", "sync-not-effective", "direct-not-effective", "not-at-servers"),
        "fetched": ("read-from-cache", "not-from-servers"),
        "direct": ("direct-not-applied",),
        "operations": ("other-count",),
        "calls": ("interposed-library",),
        "each-file": ("files-not-synchronised",),
        "file-system": ("other-target",),
    }.items()
}


@dataclass(frozen=True)
class Level:
    """A level of proof: how far the bytes of a VALID record were followed. Each of `rules` shows it by
    passing."""

    meaning: str
    resists: str
    open: str
    rules: tuple[str, ...] = ()


DEVICES, CLIENT = "devices", "client"
PROOFS: dict[str, Level] = {  # the furthest first
    DEVICES: Level(
        "the devices below the file system moved the bytes, by their own counters or by what the servers "
        "report of theirs",
        "caches of clients and servers, a synchronisation that does nothing, an export that acknowledges "
        "early",
        "caches of drives, controllers and hypervisors",
        (
            "sync-not-effective",
            "direct-not-effective",
            "read-not-from-device",
            "not-on-server-devices",
            "not-from-server-devices",
        ),
    ),
    "servers": Level(
        "the servers of a network file system acknowledged or sent the bytes, as the client's node counted "
        "them",
        "caches of the client, a synchronisation that does nothing, an interface that drops options",
        "servers that acknowledge what they hold in memory, and that answer reads from it",
        ("not-at-servers", "not-from-servers"),
    ),
    CLIENT: Level(
        "the program and the kernel of the client counted what was requested there: memory of the node, warm "
        "caches, writes without synchronisation, metadata",
        "options that were not applied, bytes that were not moved, errors that were not reported",
        "everything behind the client: that is what was requested",
    ),
}
# An imported log shows neither what was planned nor where its files were.
_UNKNOWN_OF_A_LOG = ("request", "file-system")
# The calls that were counted: the kernel took the bytes, whatever size the files have now.
_SHOWN_BY_CALLS = ("file",)
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


# Evidence that records of every kind need under a condition.
WHERE: dict[str, Callable[[Subject], bool]] = {
    "calls": lambda subject: bool(subject.observed.get("interposed")),
    "each-file": lambda subject: subject.synchronises_files,
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
        if subject.warm_cache_requested:
            return "read of a warm cache"
        return "direct read" if subject.row.get("direct") else "buffered read"
    return "write without synchronisation" if subject.row.get("sync") is False else "write"


def needed(subject: Subject) -> tuple[str, ...]:
    """Names of the evidence that a record needs."""
    names = KINDS[kind_of(subject)] + tuple(name for name, applies in WHERE.items() if applies(subject))
    if _is_shown_by_calls(subject):
        names = tuple(name for name in names if name not in _SHOWN_BY_CALLS)
    # Only a plan tells that nothing was to be stored.
    if subject.run or subject.stores_nothing:
        return names
    return tuple(name for name in names if name not in _UNKNOWN_OF_A_LOG)


def _is_shown_by_calls(subject: Subject) -> bool:
    """Calls show the bytes if they are the result, or moved all that a program without sizes reports."""
    called, moved = subject.observed.get("called_bytes"), subject.number("moved_bytes")
    is_counted = called is not None and bool(moved) and called >= (moved or 0)
    return bool(subject.observed.get("of_calls")) or (is_counted and subject.number("file_bytes") is None)


def missing(subject: Subject, passed: Container[str]) -> tuple[str, ...]:
    """Names of the evidence that no rule gave."""
    if not subject.has_result:
        return ()
    return tuple(name for name in needed(subject) if not EVIDENCE[name].is_given(passed))


def proof(passed: Container[str]) -> str:
    """The proof of a VALID record: it reaches to the devices, to the servers, or ends on the client."""
    shown = (name for name, level in PROOFS.items() if any(one in passed for one in level.rules))
    return next(shown, CLIENT)


def level_table() -> list[str]:
    """The levels as Markdown."""
    lines = [f"| {name} | {one.meaning} | {one.resists} | {one.open} |" for name, one in PROOFS.items()]
    return ["| proven | meaning | resists | does not show |", "|---|---|---|---|", *lines]


def evidence_table() -> list[str]:
    """Both tables as Markdown."""
    lines = ["| kind of record | VALID needs |", "|---|---|"]
    lines += [f"| {kind} | {', '.join(names)} |" for kind, names in KINDS.items()]
    without = ", ".join(_UNKNOWN_OF_A_LOG)
    unknown = "no plan and no machine is known; where nothing is stored, with request"
    lines.append(f"| imported log or table | as above without {without}: {unknown} |")
    shown = ", ".join(_SHOWN_BY_CALLS)
    lines.append(
        "| calls of any program (`weir prove`), or of one that prints no size and whose calls were counted "
        f"in full | as above without {shown} |"
    )
    lines += [
        "| any, of a process with calls that another library provides | as above and calls |",
        "| creation of files that are synchronised one by one | as above and each-file |",
    ]
    lines += ["", "| evidence | meaning | given by any of these rules |", "|---|---|---|"]
    for name, evidence in EVIDENCE.items():
        links = ", ".join(f"[{one}](#{one})" for one in evidence.rules)
        lines.append(f"| {name} | {evidence.meaning} | {links} |")
    return lines
