"""Rows from the results of elbencho: one for each phase, from its JSON (--jsonfile), CSV or table.

Of two columns, when the first and when the last worker was done, the last one counts. Tables and CSV have
rates and times without their fractions, cut and not rounded: their rows have no time. A synchronisation
(--sync) is a phase of its own, so that no write contains one. A table without the command does not tell
whether it was direct: then also what it means that there is none is unknown.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from weir.records.model import Message, Parsed, Row
from weir.records.printed_values import whole
from weir.tools.between import told_apart
from weir.tools.elbencho.command import BEGIN, Facts, of_config, told_before
from weir.tools.outputs import caption_of, documents_at, with_options

_MIB = 2**20
_PHASES: Mapping[str, tuple[str, str | None]] = {
    "WRITE": ("write", None),
    "READ": ("read", None),
    "MKDIRS": ("create", "directory"),
    "STAT": ("stat", "file"),
    "STATDIRS": ("stat", "directory"),
    "RMFILES": ("remove", "file"),
    "RMDIRS": ("remove", "directory"),
}
_COLUMNS = ("order", "layout", "xfer_bytes", "iodepth", "direct", "requested_bytes")  # that facts have
_OF_EMPTY_FILES = {"write": "create"}
_JSON = re.compile(r'^\{"phase_type":.*$', re.MULTILINE)
_CSV = re.compile(r"^ISO date,label,path type,.*$", re.MULTILINE)
_TABLE = re.compile(r"^OPERATION +RESULT TYPE +FIRST DONE +LAST DONE$", re.MULTILINE)
# Services print what each of them did, in one log line between line: no result of the run.
_SERVICE = re.compile(r"^Service now listening\. Port: ", re.MULTILINE)
_BLOCK = re.compile(r"^([A-Z_]+) +Elapsed (?:time|ms) +:(.*)$")  # ms: before version 3
_END = re.compile(r"^---$", re.MULTILINE)  # of a phase
_FACT = re.compile(r"^ +(\S.*?) *: (.*)$")
_ERROR = re.compile(r"^(?:[\d:.]+ )?ERROR: (.*)$", re.MULTILINE)
_LATENCY = re.compile(r"(min|max)=([\d.]+)(us|ms|s)?")  # without a unit: of "IO latency us", before version 3
_ENDS_EARLY = ("--timelimit", "--randamount", "--infloop", "--rwmix")
_UNITS_US = {"us": 1.0, "ms": 1e3, "s": 1e6}

LIVE = re.compile(r"^ISO Date,Label,Phase,RuntimeMS,", re.MULTILINE)  # --livecsv
LOG_START = re.compile("|".join(f"(?:{one.pattern})" for one in (_JSON, _CSV, _TABLE)), re.MULTILINE)
OUTPUT = re.compile(
    r'^OPERATION\s+RESULT TYPE\s+FIRST DONE|^ISO date,label,(?!phase,)|^"?operation"?,.*first done'
    r'|^elbencho +-|First Done \[|^\{"phase_type":',
    re.MULTILINE | re.IGNORECASE,
)


def parse_runs(text: str) -> list[Parsed]:
    """A log of tables may hold several runs: the errors of one are not those of another."""
    if _JSON.search(text) or _CSV.search(text):
        return [parse_results(text)]
    if _SERVICE.search(text):
        return []
    tables = [*_TABLE.finditer(text)]
    starts, ended, before = [], [], 0
    for table in tables:
        begins = [match.start() for match in BEGIN.finditer(text, before, table.start())]
        starts.append(begins[-1] if begins else table.start())
        ended.append(max((one.end() for one in _END.finditer(text, before, table.start())), default=before))
        before = table.end()
    ends = [*starts[1:], len(text)]
    runs = [parse_results(text[start:end]) for start, end in zip([0, *starts[1:]], ends, strict=False)]
    apart = told_apart(text, [("elbencho", end, one.start()) for end, one in zip(ended, tables, strict=True)])
    for run, table, told in zip(runs, tables, apart, strict=True):
        caption = caption_of(text, table.start())
        with_options(run.rows, told | ({"caption": caption} if caption else {}))
    return runs


def parse_results(text: str) -> Parsed:
    """JSON before CSV before the table: they hold the same phases."""
    facts = list(_of_json(text)) or list(_of_csv(text)) or list(_of_table(text))
    rows: list[Row] = []
    iterations: Counter[str] = Counter()
    for one in facts:
        row = _row(one)
        columns = [row.get(name) for name in ("xfer_bytes", "order", "iodepth", "direct", "nn")]
        alike_before = str([_PHASES[one["phase"]], row["observed"], *columns])
        rows.append(row | {"iteration": iterations[alike_before]})
        iterations[alike_before] += 1
    errors = tuple(Message("error", match[1]) for match in _ERROR.finditer(text))
    version = next((one["version"] for one in facts if one.get("version")), "")
    return Parsed(tuple(rows), {}, errors, "elbencho", version, complete=bool(rows) and not errors)


def _row(facts: Facts) -> Row:
    """rate and moved are bytes, or entries of a tree."""
    access, item = _PHASES[facts["phase"]]
    seen = {name: facts[name] for name in ("path", "workload", "results_in") if facts.get(name)}
    workers = seen.get("workload", {}).get("workers")
    if workers and facts.get("hosts"):
        in_flight = workers * facts["hosts"] * (facts.get("iodepth") or 1)
        seen["in_flight"] = {"count": in_flight, "exact": True}
    api = "S3" if facts.get("objects") else "POSIX"
    if item is None and facts.get("entries_s") and not facts.get("bytes_s"):
        access, item = _OF_EMPTY_FILES.get(access, access), "file"
    row: Row = {"api": api, "access": access, "nn": facts.get("hosts"), "observed": seen}
    if item is not None:
        row |= {"item": item, "ops": facts.get("entries"), "ops_s": facts.get("entries_s")}
        return row
    moved, rate = facts.get("bytes"), facts.get("bytes_s")
    total_s = moved / rate if moved and rate and facts.get("exact") else None
    row |= {
        **{name: facts.get(name) for name in _COLUMNS},
        "moved_bytes": moved,
        "total_s": total_s,
        "io_s": total_s,
        "bw_mib_s": rate / _MIB if rate else None,
        "ops_s": facts.get("iops"),
        "lat_min_us": facts.get("min_us"),
        "lat_max_us": facts.get("max_us"),
    }
    return row | ({"sync": facts.get("sync", False)} if access == "write" else {})


def _of_json(text: str) -> Iterator[Facts]:
    for document, _ in documents_at(text, _JSON):
        config, last = document.get("config"), document.get("last_done")
        if document.get("phase_type") in _PHASES and isinstance(config, dict) and isinstance(last, dict):
            latency = last.get("latency")
            of_io = latency.get("IO") if isinstance(latency, dict) else None
            of_io = of_io if isinstance(of_io, dict) else {}
            yield {
                "phase": document["phase_type"],
                "exact": True,
                "bytes": _whole(last.get("bytes")),
                "bytes_s": _whole(last.get("bytes/s")),
                "iops": _whole(last.get("iops")),
                "entries": _whole(last.get("entries")),
                "entries_s": _whole(last.get("entries/s")),
                "min_us": _whole(of_io.get("min_us")),
                "max_us": _whole(of_io.get("max_us")),
                **_configured(config),
            }


def _configured(config: Mapping[str, Any]) -> Facts:
    """The request, from the names of the JSON."""
    count = {name: _whole(config.get(name)) for name in ("paths", "hosts", "threads", "dirs", "files")}
    is_tree = config.get("path_type") == "dir"
    size = _whole(config.get("file_size"))
    files = count["paths"]
    if is_tree:
        per_thread = (count["dirs"] or 1) * (count["files"] or 0)
        files = per_thread * (count["threads"] or 0) * (count["hosts"] or 1)
    early = any(option in str(config.get("command")) for option in _ENDS_EARLY)
    return {
        "hosts": count["hosts"],
        "order": "random" if config.get("random_offsets") in ("true", "1") else "sequential",
        "layout": "shared" if not is_tree and files == 1 and (count["threads"] or 0) > 1 else None,
        "xfer_bytes": _whole(config.get("block_size")),
        "iodepth": _whole(config.get("io_depth")),
        "direct": config.get("direct_io") in ("true", "1"),
        "objects": "--s3endpoints" in str(config.get("command")),
        "requested_bytes": size * files if size and files and not early else None,
        "version": config.get("version") or "",
        **of_config(config, files),
    }


_CONFIG_OF_CSV: Mapping[str, str] = {
    "path type": "path_type",
    "file size": "file_size",
    "block size": "block_size",
    "direct IO": "direct_io",
    "random": "random_offsets",
    "IO depth": "io_depth",
}


def _of_csv(text: str) -> Iterator[Facts]:
    header = _CSV.search(text)
    lines = text[header.start() :].splitlines() if header else []
    for line in csv.DictReader(lines):
        if line.get("operation") in _PHASES:
            config = {_CONFIG_OF_CSV.get(name, name): value for name, value in line.items() if name}
            mib, mib_s = _whole(line.get("MiB [last]")), _whole(line.get("MiB/s [last]"))
            yield {
                "phase": line["operation"],
                "bytes": None if mib is None else mib * _MIB,
                "bytes_s": None if mib_s is None else mib_s * _MIB,
                "iops": _whole(line.get("IOPS [last]")),
                "entries": _whole(line.get("entries [last]")),
                "entries_s": _whole(line.get("entries/s [last]")),
                "min_us": _whole(line.get("IO lat us [min]")),
                "max_us": _whole(line.get("IO lat us [max]")),
                **_configured(config),
            }


_OF_TABLE: Mapping[str, tuple[str, int]] = {
    "Throughput MiB/s": ("bytes_s", _MIB),
    "Total MiB": ("bytes", _MIB),
    "IOPS": ("iops", 1),
    "Files/s": ("entries_s", 1),
    "Dirs/s": ("entries_s", 1),
    "Files total": ("entries", 1),
    "Total files": ("entries", 1),  # version 1
    "Dirs total": ("entries", 1),
    "Total dirs": ("entries", 1),
    "Objects/s": ("objects_s", 1),
    "Objects total": ("objects", 1),
}


def _of_table(text: str) -> Iterator[Facts]:
    """The phases of a table. Where files are named one by one their removal has no rate: such a phase is
    skipped."""
    table = _TABLE.search(text)
    known = told_before(text[: table.start()]) if table else {}
    phases = [_phase(block) for block in _blocks(text)]
    sized = next((one for one in map(_counted, phases) if "file_bytes" in one), {})
    for facts in phases:
        has_bytes = _PHASES[facts["phase"]][1] is None
        if len(facts) > 1 or has_bytes:
            objects = known.get("objects") or "objects_s" in facts
            workload = known.get("workload") or (not has_bytes and sized) or _counted(facts)
            phase: Facts = facts | known | {"objects": objects, "workload": workload}
            files, entries = workload.get("files"), facts.get("entries")
            if has_bytes and files is not None and (entries or 0) > files:
                # The path is a directory: of files that are named one by one it counts none.
                phase |= {"layout": None, "workload": workload | {"files": entries}}
            yield phase


def _phase(block: Sequence[str]) -> Facts:
    """The numbers of a phase, from its name and the lines below it."""
    facts: Facts = {"phase": block[0]}
    for match in map(_FACT.match, block[1:]):
        if match and match[1] in _OF_TABLE:
            name, factor = _OF_TABLE[match[1]]
            value = _whole(match[2].split()[-1] if match[2].split() else None)
            facts[name] = None if value is None else value * factor
        elif match and match[1] in ("IO latency", "IO latency us"):
            found = _LATENCY.findall(match[2])
            facts |= {f"{end}_us": float(number) * _UNITS_US[unit or "us"] for end, number, unit in found}
    return facts


def _counted(facts: Facts) -> Facts:
    """The workload of a table without a command: the files that a phase counted, and the size of each. A
    phase of names has that of the phase with bytes beside it, which alone tells the size."""
    files, moved = facts.get("entries"), facts.get("bytes")
    return ({"files": files} if files else {}) | ({"file_bytes": moved // files} if files and moved else {})


def _blocks(text: str) -> Iterable[list[str]]:
    """Phase by phase: its name, then the lines below it; one that is cut has no line at its end."""
    table = _TABLE.search(text)
    block: list[str] = []
    for line in text[table.end() :].splitlines() if table else []:
        start = _BLOCK.match(line)
        if start:
            block = [start[1]]
        elif line == "---" and block:
            if block[0] in _PHASES:
                yield block
            block = []
        elif block:
            block.append(line)


def _whole(value: object) -> int | None:
    return whole(value) if isinstance(value, str) else None
