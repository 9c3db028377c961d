"""A log of Darshan: what a program moved, by files, interfaces and accesses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from weir.base.errors import InputError
from weir.base.plugins import load

APIS = {"POSIX": "POSIX", "STDIO": "STDIO", "MPI-IO": "MPIIO"}  # modules, with the prefix of their counters
ALL_RANKS = -1
_BYTES = {"read": "BYTES_READ", "write": "BYTES_WRITTEN"}
_K = 1024
_BOUNDS = {
    "0_100": 100,
    "100_1K": _K,
    "1K_10K": 10 * _K,
    "10K_100K": 100 * _K,
    "100K_1M": _K**2,
    "1M_4M": 4 * _K**2,
    "4M_10M": 10 * _K**2,
    "10M_100M": 100 * _K**2,
    "100M_1G": _K**3,
}
_LARGEST = "1G_PLUS"
# Operations besides transfers, with their counters.
NAMED = {
    "opens": ("OPENS", "INDEP_OPENS", "COLL_OPENS"),
    "stats": ("STATS",),
    "syncs": ("FSYNCS", "FDSYNCS", "SYNCS"),
    "mappings": ("MMAPS",),
}
_OF_NO_FILES = ("HEATMAP", "DXT_POSIX", "DXT_MPIIO", "APMPI", "APXC", "APSS", "LUSTRE")

Counters = Mapping[str, Any]


@dataclass(frozen=True)
class LoggedMount:
    """A mount of the machine that wrote the log."""

    point: str
    file_system: str


@dataclass(frozen=True)
class Use:
    """One access to one file through one interface, of one process or of all together (ALL_RANKS)."""

    place: LoggedMount
    file: int
    api: str
    rank: int
    access: str
    bytes: int
    calls: int
    collective_calls: int
    sequential_calls: int | None
    sizes: Mapping[int, int]  # calls with the most frequent sizes
    busy_s: float  # of all its processes
    began_s: float
    ended_s: float


@dataclass(frozen=True)
class Names:
    """The operations on one file besides transfers."""

    place: LoggedMount
    api: str
    counts: Mapping[str, int]  # by the keys of NAMED


@dataclass(frozen=True)
class Log:
    file: Path
    command: str
    processes: int
    elapsed_s: float
    places: tuple[LoggedMount, ...]  # those deeper in the tree first
    uses: tuple[Use, ...]
    names: tuple[Names, ...]
    partial: tuple[str, ...]  # modules that ran out of memory
    unread: tuple[str, ...]  # modules with records of files that are not read here

    def place_of(self, path: Path) -> LoggedMount:
        return _place(str(path), self.places)

    @property
    def program(self) -> str:
        return PurePath(self.command.split()[0]).name if self.command.split() else "unknown"


def read_log(file: Path) -> Log:
    """The whole log, by PyDarshan."""
    if not file.is_file():
        raise InputError("does not exist", file=file, hint="name a log of Darshan")
    darshan = load("darshan", "darshan")
    try:
        report = darshan.DarshanReport(str(file), read_all=False)
    except RuntimeError:
        raise InputError(
            "is not a log of Darshan that PyDarshan can read",
            file=file,
            hint="a log ends with .darshan and is whole only after MPI_Finalize",
        ) from None
    job = report.metadata["job"]
    records = [(api, one) for name, api in APIS.items() for one in _records(report, name)]
    paths = {one["id"]: str(report.name_records.get(one["id"], "")) for _, one in records}
    mounts = [LoggedMount(*one) for one in sorted(report.mounts, key=lambda one: -len(one[0]))]
    places = {file_id: _place(path, mounts) for file_id, path in paths.items()}
    records = [(api, one) for api, one in records if not paths[one["id"]].startswith("<")]  # <STDOUT>
    return Log(
        file=file,
        command=str(report.metadata["exe"]).strip(),
        processes=int(job["nprocs"]),
        elapsed_s=float(job["run_time"]),
        places=tuple(mounts),
        uses=tuple(use for api, one in records for use in _uses(api, one, places[one["id"]])),
        names=tuple(_names(api, one, places[one["id"]]) for api, one in records),
        partial=tuple(sorted(name for name, one in report.modules.items() if one.get("partial_flag"))),
        unread=tuple(sorted(set(report.modules) - set(APIS) - set(_OF_NO_FILES))),
    )


def _records(report: Any, module: str) -> Iterator[Counters]:
    """Counters and times of each record in one mapping."""
    if module not in report.modules:
        return
    report.mod_read_all_records(module)
    frames = report.records[module].to_df()
    pairs = zip(frames["counters"].to_dict("records"), frames["fcounters"].to_dict("records"), strict=True)
    for counters, times in pairs:
        yield {**times, **counters}


def _place(path: str, mounts: Sequence[LoggedMount]) -> LoggedMount:
    for one in mounts:
        if path == one.point or path.startswith(one.point.rstrip("/") + "/"):
            return one
    return LoggedMount("unknown", "unknown")


def _uses(api: str, record: Counters, place: LoggedMount) -> Iterator[Use]:
    for access in _BYTES:
        moved, calls = int(record[f"{api}_{_BYTES[access]}"]), _calls(api, record, access)
        if moved <= 0:
            continue
        sequential = record.get(f"{api}_SEQ_{access.upper()}S")
        yield Use(
            place=place,
            file=int(record["id"]),
            api=api,
            rank=int(record["rank"]),
            access=access,
            bytes=moved,
            calls=sum(calls.values()),
            collective_calls=calls.get("COLL_", 0) + calls.get("SPLIT_", 0),
            sequential_calls=None if sequential is None else int(sequential),
            sizes=_sizes(api, record, access),
            busy_s=float(record[f"{api}_F_{access.upper()}_TIME"]),
            began_s=float(record[f"{api}_F_{access.upper()}_START_TIMESTAMP"]),
            ended_s=float(record[f"{api}_F_{access.upper()}_END_TIMESTAMP"]),
        )


def _calls(api: str, record: Counters, access: str) -> dict[str, int]:
    kinds = ("INDEP_", "COLL_", "SPLIT_", "NB_") if api == "MPIIO" else ("",)
    return {kind: max(int(record[f"{api}_{kind}{access.upper()}S"]), 0) for kind in kinds}


def _sizes(api: str, record: Counters, access: str) -> dict[int, int]:
    """Darshan counts the most frequent sizes of reads and writes together: those that this access had."""
    found = {}
    for at in range(1, 5):
        size, calls = (int(record.get(f"{api}_ACCESS{at}_{name}", 0)) for name in ("ACCESS", "COUNT"))
        if size <= 0 or calls <= 0:
            continue
        bucket = next((name for name, bound in _BOUNDS.items() if size <= bound), _LARGEST)
        middle = "_AGG" if api == "MPIIO" else ""
        if record.get(f"{api}_SIZE_{access.upper()}{middle}_{bucket}", 0) > 0:
            found[size] = calls
    return found


def _names(api: str, record: Counters, place: LoggedMount) -> Names:
    counts = {
        name: sum(max(int(record.get(f"{api}_{counter}", 0)), 0) for counter in counters)
        for name, counters in NAMED.items()
    }
    return Names(place, api, counts)
