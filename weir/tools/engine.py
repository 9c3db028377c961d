"""weir-io: where it stands in the command of a stack's program, the rows of its JSON document, and what every
tool that it can run has in common.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Any

from weir.base.files import from_json
from weir.records.model import Cell, Message, Parsed, Row
from weir.records.shapes import check_of
from weir.tools.base import Tool
from weir.tools.outputs import read_text, read_texts

# Keys of "requested" in the document that are columns of the record.
_REQUESTED_COLUMNS = (
    *(
        "layout",
        "order",
        "xfer_bytes",
        "block_bytes",
        "segments",
        "stonewall_s",
        "collective",
        "sync",
        "direct",
    ),
    *("rate", "rw_mix", "zipf", "distribution", "file_view", "compress_percent", "dedupe_percent"),
)
# Keys of a result, which are columns but for the one that has a shorter name there.
_RESULT_KEYS = (
    *("access", "iteration", "open_s", "io_s", "sync_s", "close_s", "total_s", "bw_mib_s", "requested_bytes"),
    *("moved_bytes", "file_bytes", "operations", "ops_s", "began"),
)
_RESULT_COLUMNS = {key: "ops" if key == "operations" else key for key in _RESULT_KEYS}
_LATENCY_COLUMNS = {f"{one}_us": f"lat_{one}_us" for one in ("min", "p50", "p90", "p99", "p999", "max")}
_LATENCIES_US = (2.0**-10, 2.0**47)  # the clock counts nanoseconds; the upper limit is that of lat_max_us
_REQUESTED_FOR_AUDIT = (
    *("barriers", "wear_out", "verify_write", "verify_read", "reorder", "hints", "keep", "drop_caches"),
    "random_twice",
)


def read_document(text: str) -> dict[str, Any] | None:
    """The document if the text is one of weir-io, else nothing."""
    try:
        document = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) and document.get("program") == "weir-io" else None


def _refuse(name: str) -> float:
    """NaN and Infinity are not JSON."""
    raise ValueError(name)


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def _wrong(document: Mapping[str, Any]) -> str | None:
    """The first value that cannot be. Other versions may lack keys, but these two name a row."""
    if wrong := check_of("engine")(document):
        return wrong
    for index, result in enumerate(document.get("results") or ()):
        for key in ("access", "iteration"):
            if key not in result:
                return f".results[{index}].{key} is missing"
    return None


# A row as a tool completes it, which is given the row, its result and what was requested.
Complete = Callable[[Row, Mapping[str, Any], Mapping[str, Any]], Row]


def parse_document(
    document: Mapping[str, Any],
    api_names: Mapping[str, str],
    complete: Complete = lambda row, result, requested: row,
) -> Parsed:
    """Rows, requested values and errors; api_names maps the tool's interface names to ours. A document with a
    value that cannot be has no rows."""
    wrong = _wrong(document)
    if wrong:
        messages = (Message("error", f"impossible value: document{wrong}"),)
        return Parsed((), {}, messages, "weir-io", str(document.get("version", "")), complete=False)
    requested: Mapping[str, Any] = document.get("requested") or {}
    job: Mapping[str, Any] = document.get("job") or {}
    api = str(requested.get("api", ""))
    common: Row = {"api": api_names.get(api, api), "nn": job.get("nodes"), "ppn": job.get("tasks_per_node")}
    common |= {key: requested[key] for key in _REQUESTED_COLUMNS if key in requested}
    results: Sequence[Mapping[str, Any]] = document.get("results") or ()
    rows = [_row(result, common, requested, job) for result in results]
    program_s = _program_s(document)
    for row in rows if program_s is not None else ():
        row["observed"]["program_s"] = program_s
    if not requested.get("rw_mix"):
        _note_written(rows)
    return Parsed(
        rows=tuple(complete(row, result, requested) for row, result in zip(rows, results, strict=True)),
        requested=dict(requested),
        messages=_messages(document, len(rows)),
        program=str(document.get("program", "weir-io")),
        tool_version=str(document.get("version", "")),
        complete=document.get("status") == "done",
    )


def _program_s(document: Mapping[str, Any]) -> float | None:
    """The duration of the program from its first moment to its last; at least 0, since the clock of the day
    may have been set meanwhile."""
    try:
        began, ended = (datetime.fromisoformat(str(document[key])) for key in ("began", "ended"))
    except (KeyError, ValueError):
        return None
    return max((ended - began).total_seconds(), 0.0)


def sound_results(text: str) -> Sequence[Mapping[str, Any]]:
    """The results of a document; nothing if it has a value that cannot be."""
    document = read_document(text)
    if document is None or _wrong(document):
        return ()
    return document.get("results") or ()


def with_messages(parsed: Parsed, others: Sequence[Message]) -> Parsed:
    """The results with more messages, each once."""
    known = {message.text for message in parsed.messages}
    return replace(parsed, messages=(*parsed.messages, *(one for one in others if one.text not in known)))


def _row(result: Mapping[str, Any], common: Row, requested: Mapping[str, Any], job: Mapping[str, Any]) -> Row:
    row: Row = dict(common)
    row |= {column: result.get(key) for key, column in _RESULT_COLUMNS.items()}
    latency = result.get("latency") or {}
    row |= {column: latency.get(key) for key, column in _LATENCY_COLUMNS.items()}
    row["lat_histogram"] = histogram(latency.get("buckets") or ())
    extremes = result.get("rank_extremes") or {}
    transfers = extremes.get("io_s") or {}
    row["slowest_rank"] = transfers.get("max_rank")
    seen: Mapping[str, Any] = result.get("observed") or {}
    row["fetched_bytes"] = seen.get("fetched_bytes")
    observed: dict[str, Any] = {key: requested[key] for key in _REQUESTED_FOR_AUDIT if key in requested}
    observed["tasks"] = job.get("tasks")
    moved = extremes.get("moved_bytes") or {}
    if {"min", "max"} <= transfers.keys() and moved.get("min") == moved.get("max"):
        observed["rank_io_s"] = [transfers["min"], transfers["max"]]
    if "interposed" in job:
        observed["interposed"] = job["interposed"]
    observed |= {"stonewall": result.get("stonewall"), "verify": result.get("verify")}
    observed |= {key: value for key, value in seen.items() if key != "hints"}
    if (seen.get("passes") or {}).get("count", 1) == 1:  # between passes all ranks rest
        observed["longest_halt_s"] = _longest_halt_s(result.get("timeline"))
    observed["hints_in_force"] = seen.get("hints")
    stripes = (seen.get("file_layout") or {}).get("file_stripes")
    if stripes:
        observed["file_stripes"] = stripes
        row["stripe_count"] = max((files, int(count)) for count, files in stripes.items())[1]
    row["observed"] = observed
    return row


def histogram(buckets: Iterable[Sequence[float]]) -> str | None:
    """Operations by latency, of upper ends in microseconds and counts, in classes of powers of two: all
    buckets would be too many for a record."""
    counts: dict[int, int] = {}
    least_us, most_us = _LATENCIES_US
    for upper_us, count in buckets:
        fraction, exponent = math.frexp(min(max(upper_us, least_us), most_us))
        exponent -= fraction == 0.5  # a power of two is the upper edge of its class
        counts[exponent] = counts.get(exponent, 0) + int(count)
    if not counts:
        return None
    first = min(counts)
    return f"{first}:" + ";".join(str(counts.get(exponent, 0)) for exponent in range(first, max(counts) + 1))


def _note_written(rows: list[Row]) -> None:
    """A read can only give what the write of its iteration left."""
    written = {row["iteration"]: row["moved_bytes"] for row in rows if row["access"] == "write"}
    for row in rows:
        if row["access"] == "read" and row["iteration"] in written:
            row["observed"]["written_bytes"] = written[row["iteration"]]


def _messages(document: Mapping[str, Any], finished_rows: int) -> tuple[Message, ...]:
    """Errors of the document; they belong to the phase after the finished ones, so to no row that exists."""
    errors = [Message("error", _error_text(error)) for error in document.get("errors") or ()]
    if not errors and document.get("status") != "done":
        errors = [Message("error", f"weir-io failed after {finished_rows} results and gave no error")]
    return tuple(errors)


def _error_text(error: Mapping[str, Any]) -> str:
    if error.get("text"):
        return str(error["text"])
    return f"rank {error.get('rank')}: {error.get('call')}({error.get('path')}): {error.get('error')}"


def _longest_halt_s(timeline: Mapping[str, Any] | None) -> float | None:
    """The longest halt of all ranks together: the time in which less than a twentieth of the mean moved,
    between times of more."""
    moved: Sequence[int] = (timeline or {}).get("moved_bytes") or ()
    bucket_s = (timeline or {}).get("bucket_s")
    if not sum(moved) or bucket_s is None:
        return None
    little = sum(moved) / len(moved) / 20
    busy = [index for index, part in enumerate(moved) if part > little]
    gaps = (later - earlier - 1 for earlier, later in pairwise(busy))
    return float(max(gaps, default=0) * bucket_s)


PROGRAM = "weir-io"
_RANKS_FILE = "ranks.json"


def engine_of(program: Sequence[str]) -> tuple[str, ...]:
    """The arguments up to weir-io: itself alone, or what starts it (such as a container) and itself.

    Empty for another program. What follows is a personality such as `ior`; without one, no cell is run.
    """
    at = max((at for at, word in enumerate(program) if PurePath(word).name == PROGRAM), default=len(program))
    return tuple(program[: at + 1]) if at + 1 < len(program) else ()


def is_engine(program: Sequence[str]) -> bool:
    """Whether the program is weir-io."""
    return any(PurePath(word).name == PROGRAM for word in program)


def program_name(program: Sequence[str]) -> str:
    """The program that a command starts, such as ior; what starts it, such as a container, comes before."""
    return PROGRAM if is_engine(program) else PurePath(program[-1]).name


def shared_engine(tool: Tool, cell: Cell, program: Sequence[str]) -> tuple[str, ...]:
    """The command of weir-io, if it can run the cell beside others in one launch. It is empty if the cell has
    a launch of its own: for another program, for variables of its own, or for a tab in a value, which
    separates arguments in the list of a shared launch."""
    texts = [value for value in cell.params.values() if isinstance(value, str)]
    plain = not any(mark in text for text in texts for mark in "\t\n")
    return engine_of(program) if plain and not tool.environment(cell) else ()


class EngineTool(Tool):
    """A tool that is a personality of weir-io; the original of it may run the same cells."""

    def comparable(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """The write: originals cannot drop caches before the read that follows it."""
        if not params.get("drop_caches") or "write" not in params["access"]:
            return params
        without = {name: False for name in ("drop_caches", "read_again") if name in params}
        return {**params, **without, "access": ["write"]}

    def ranks_command(self, program: Sequence[str], outputs: Path) -> list[str] | None:
        """The null back end with one transfer: the personality that every weir-io has."""
        engine = engine_of(program)
        if not engine:
            return self._ranks_of_original(program, outputs)
        arguments = [*engine, "ior", "-a", "NULL", "-w", "-t", "8", "-b", "8", "-o", "ranks"]
        return [*arguments, f"--json={outputs / _RANKS_FILE}"]

    def ranks_started(self, outputs: Path, printed: str) -> list[int]:
        try:
            document = from_json((outputs / _RANKS_FILE).read_text(encoding="utf-8"))
            return list(document["job"]["ranks_per_host"])
        except (OSError, ValueError, KeyError, TypeError):
            tasks, nodes = self._printed_job(printed)
            return [tasks // nodes + (node < tasks % nodes) for node in range(nodes)]

    def _ranks_of_original(self, program: Sequence[str], outputs: Path) -> list[str] | None:
        """Implements ranks_command for the original, which prints where its ranks are before it
        opens a file: on other nodes outputs may be missing."""
        return None

    def _printed_job(self, printed: str) -> tuple[int, int]:
        """Tasks and nodes that the original printed; 0 and 0 if it did not."""
        return 0, 0

    def parse_log(self, text: str) -> Sequence[Parsed]:
        """The run of a document that somebody kept, or the runs in what another program printed."""
        document = read_document(text)
        if document is None:
            return self._printed_runs(text)
        return [self._of_document(document)] if document.get("personality") == self.name else []

    def _of_document(self, document: Mapping[str, Any]) -> Parsed:
        return parse_document(document, self.interface_names, self._row)

    def _row(self, row: Row, result: Mapping[str, Any], requested: Mapping[str, Any]) -> Row:
        """The row as this personality completes it."""
        return row

    def _printed_runs(self, text: str) -> Sequence[Parsed]:
        """Empty if there is nothing of an original in the text."""
        return ()


class EngineOnlyTool(EngineTool):
    """A tool whose cells weir-io alone can run; outputs of the original are read by weir import."""

    def unsupported(self, cell: Cell, program: Sequence[str]) -> str | None:
        if is_engine(program):
            return None
        return f"'{' '.join(program)}' does not print what a record needs: use [weir-io, {self.name}]"

    def parse(self, outputs: Mapping[str, Path]) -> Parsed:
        """Each of summary, stdout and stderr may be missing or cut."""
        texts = read_texts(outputs)
        document = read_document(texts.get("summary", ""))
        if document is not None:
            return self._of_document(document)
        printed = [line for line in texts.get("stderr", "").splitlines() if line.startswith(f"{PROGRAM}: ")]
        messages = tuple(Message("error", line) for line in printed)
        return replace(self._printed_result(texts.get("stdout", "")), messages=messages)

    def _printed_result(self, text: str) -> Parsed:
        """The result that was printed in place of a document."""
        return Parsed((), {}, (), program=PROGRAM, tool_version="", complete=False)


def latency_buckets(outputs: Mapping[str, Path]) -> Iterator[Row]:
    """The histograms in a document of weir-io; nothing if there is none."""
    summary = outputs.get("summary")
    text = read_text(summary) if summary and summary.is_file() else ""
    for result in sound_results(text):
        place: Row = {"access": result.get("access"), "iteration": result.get("iteration", 0)}
        for upper_us, count in (result.get("latency") or {}).get("buckets") or ():
            yield place | {"upper_us": upper_us, "count": count}
