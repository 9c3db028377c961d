"""A random read of 4 KiB beside the submission's own sequential reads: how far its rate can be believed."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.base.units import about_size, ratio_text
from weir.decide.io500.directory import read_all
from weir.decide.io500.result import Io500Result
from weir.records.printed_values import whole
from weir.tools import tools

TRANSFER_BYTES = 4096
_PHASE = "ior_rnd4[kK]*read"
DOUBTED = "DOUBTED"
UNDECIDED = "UNDECIDED"
_OPEN = "caches of the clients are not excluded"
_MOSTLY = 0.5  # share of the bytes
_TELLING = 0.1


@dataclass(frozen=True)
class RandomRead:
    """A random read by IOR's log, or its value alone by the summary. None: it is not printed."""

    source: str
    value_gib_s: float
    easy_read_gib_s: float | None
    nodes: int | None = None
    moved_bytes: int | None = None
    file_bytes: int | None = None
    direct: bool | None = None
    from_other_ranks: bool | None = None
    same_files_as_easy: bool | None = None  # which ior_easy_read has read before
    lasted_s: float | None = None
    stonewall_s: float | None = None
    api: str = "POSIX"
    procs: int | None = None
    drawn_bytes: int | None = None  # of the files, from which its offsets were drawn
    late_bytes: int | None = None  # the same after the stonewall
    late_share: float = 0.0  # of what it read after the stonewall, at most
    because: str = ""  # why it drew from less than the files hold

    @property
    def repeated_share(self) -> float | None:
        """Least share of its bytes that it had read before. None where it is not known where it read."""
        if not self.drawn_bytes or not self.moved_bytes:
            return None
        late = self.late_share * self.moved_bytes
        once = min(self.moved_bytes - late, self.drawn_bytes) + min(late, self.late_bytes or late)
        return 1 - once / self.moved_bytes

    @property
    def times_sequential(self) -> float | None:
        return self.value_gib_s / self.easy_read_gib_s if self.easy_read_gib_s else None

    @property
    def verdict(self) -> str:
        """The logs alone never prove it: they do not have the caches of clients and servers."""
        times, repeated = self.times_sequential, self.repeated_share
        if repeated is not None and repeated > _MOSTLY:
            return DOUBTED
        return DOUBTED if times is not None and times > 1 else UNDECIDED


def random_reads(folder: Path, result: Io500Result) -> list[RandomRead]:
    tool = tools()[_PHASE.partition("_")[0]]
    texts, _ = read_all(sorted(folder.glob(f"{_PHASE.replace('_', '[-_]')}.txt")))
    easy = result.phases.get("ior_easy_read")
    found = [
        _random_read(file.name, text, row, easy.value if easy else None)
        for file, text in texts.items()
        for run in tool.parse_log(text)
        for row in run.rows
        if row["access"] == "read" and row["xfer_bytes"] == TRANSFER_BYTES and row["bw_mib_s"]
    ]
    if not found and result.random_read_gib_s:
        return [RandomRead(result.source.name, result.random_read_gib_s, easy.value if easy else None)]
    return found


def published_random_reads(table: Path) -> list[RandomRead]:
    """The reads in reference/io500-random-reads.csv, by submission."""
    with table.open(encoding="utf-8", newline="") as stream:
        return [_published(row) for row in csv.DictReader(stream)]


def _published(row: Mapping[str, str]) -> RandomRead:
    file_bytes, drawn = int(row["file_bytes"]), whole(row["drawn_bytes"])
    late_bytes = file_bytes // int(row["procs"]) if drawn else None
    return RandomRead(
        row["submission"],
        float(row["value_gib_s"]),
        float(row["ior_easy_read_gib_s"]),
        int(row["nodes"]),
        int(row["moved_bytes"]),
        file_bytes,
        row["direct"] == "yes",
        same_files_as_easy=drawn is not None,
        lasted_s=float(row["time_s"]),
        api=row["api"],
        procs=int(row["procs"]),
        drawn_bytes=drawn,
        late_bytes=late_bytes,
        late_share=float(row["late_share"] or 0),
    )


def _random_read(log: str, text: str, row: Mapping[str, Any], easy_read_gib_s: float | None) -> RandomRead:
    drawn = row["observed"].get("drawn") or {}
    return RandomRead(
        log,
        row["bw_mib_s"] / 1024,
        easy_read_gib_s,
        row.get("nn"),
        row.get("moved_bytes"),
        row.get("file_bytes"),
        bool(row.get("direct")),
        row["observed"].get("reorder", "none") != "none",
        "/ior-easy/" in text,
        row.get("total_s"),
        row.get("stonewall_s"),
        row["api"],
        row["observed"].get("tasks"),
        drawn.get("bytes"),
        drawn.get("late_bytes"),
        drawn.get("late_share", 0.0),
        drawn.get("because", ""),
    )


def random_read_lines(found: RandomRead) -> Iterator[str]:
    yield f"random read of 4 KiB ({found.source}): {found.value_gib_s:,.3f} GiB/s, {found.verdict}"
    yield from (f"  {line}" for line in reasons(found))


def reasons(found: RandomRead) -> Iterator[str]:
    times = found.times_sequential
    if times is None:
        yield "its own sequential read (ior_easy_read) is missing: nothing to compare it with"
    else:
        own = f"its own sequential read of {found.easy_read_gib_s:,.3f} GiB/s"
        yield (
            f"{_near_one(times, 2)} times {own}: caches, or a sequential read that was held back; "
            "not the storage's rate without other evidence"
            if times > 1
            else f"{_near_one(times, 3)} of {own}: possible"
        )
    yield from _volume(found)
    yield from _repeated(found)
    yield from _client_cache(found)
    yield "caches of servers and the memory of the nodes are in no file: not decided"
    if found.lasted_s is not None and found.stonewall_s and found.lasted_s < found.stonewall_s:
        yield f"it lasted {found.lasted_s:.1f} s of {found.stonewall_s:.0f} s"


def _near_one(times: float, decimals: int) -> str:
    """So many decimals, and more where a number near one would read as one."""
    text = f"{times:.{decimals}f}" if times >= 0.1 else ratio_text(times)
    return text if times == 1 or float(text) != 1 else f"{times:.6g}"


def _volume(found: RandomRead) -> Iterator[str]:
    if not found.moved_bytes or not found.nodes:
        yield "the bytes that it read are not printed: caches not decided"
        return
    each = found.moved_bytes / found.nodes
    if found.drawn_bytes and found.drawn_bytes < found.moved_bytes:
        drawn = f"{about_size(found.drawn_bytes / found.nodes)} per node"
        of_files = f" ({found.drawn_bytes / found.file_bytes:.2%} of the files)" if found.file_bytes else ""
        yield f"it read {about_size(each)} per node out of {drawn}{of_files}: a cache of that could answer it"
        return
    share = f", {found.moved_bytes / found.file_bytes:.1%} of the files" if found.file_bytes else ""
    yield f"it read {about_size(each)} per node{share}: a cache of that size could answer it"


def _repeated(found: RandomRead) -> Iterator[str]:
    if found.drawn_bytes is None or found.moved_bytes is None:
        return
    if found.moved_bytes > found.drawn_bytes:
        times = found.moved_bytes / found.drawn_bytes
        because = f": {found.because}" if found.drawn_bytes == found.late_bytes else ""
        yield f"each part of that was read {times:,.1f} times on average{because}"
    elif found.late_share >= _TELLING:
        late = about_size(found.late_bytes or 0)
        yield f"up to {found.late_share:.0%} of it came after the stonewall, out of {late}: {found.because}"


def _client_cache(found: RandomRead) -> Iterator[str]:
    if found.direct is None:
        yield "its log is missing: whether O_DIRECT was requested is not decided"
    elif found.api != "POSIX":
        yield f"through {found.api}, to which O_DIRECT does not apply: {_OPEN}"
    elif found.direct:
        yield "O_DIRECT is requested: the page cache of the clients is excluded if the file system obeys it"
    elif found.same_files_as_easy:
        yield f"no O_DIRECT, and ior_easy_read has read these files before: {_OPEN}"
    elif not found.from_other_ranks:
        yield f"no O_DIRECT, and each rank may read what its own node wrote: {_OPEN}"
    else:
        yield f"no O_DIRECT: {_OPEN}"


def random_read_facts(found: RandomRead) -> dict[str, Any]:
    derived = {"verdict": found.verdict, "times_sequential": found.times_sequential}
    return vars(found) | derived | {"reasons": list(reasons(found))}
