"""io-model: single operations timed one by one, on weir-io; outputs of the original are read too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from weir.base.units import format_size
from weir.terms.model import Cell, Footprint, Parsed, Row, Target
from weir.tools.base import Parameter, RunPaths
from weir.tools.engine import EngineOnlyTool, latency_buckets, read_document, with_messages
from weir.tools.io_model.original import (
    holds_only_messages,
    is_times,
    latencies_of,
    messages_in,
    parsed_output,
)
from weir.tools.io_model.problems import file_bytes_of, file_locality, find_problems
from weir.tools.outputs import read_texts
from weir.tools.target_files import STRIPE_COUNT, stripe_terms


def _least_bytes(requested: Mapping[str, Any]) -> int | None:
    """The least size of a rank's file; None where it is unknown.

    A file that was laid out before is whole. The probability that n random offsets all miss its last 40/n is
    (1 - 40/n)^n, less than 10^-17.
    """
    whole, operations = requested.get("file_bytes"), requested.get("operations")
    if not whole or not operations:
        return None
    if requested.get("prefill"):
        return int(whole)
    return max(0, int(whole * (1 - 40 / operations))) if requested.get("file_locality") == "rnd" else None


PARAMETERS: Mapping[str, Parameter] = {
    "api": Parameter("choice", "Interface.", "POSIX", ("POSIX", "MPIIO", "IME", "NULL")),
    "access": Parameter("choices", "What is timed, in this order.", ("write", "read"), ("write", "read")),
    "order": Parameter("choice", "Order of the offsets.", "sequential", ("sequential", "random")),
    "locality": Parameter(
        "text",
        "Order in the file: off0, seq, rnd, rndX, strideX, strideX,Y, reverseX; auto: seq or rnd, as order.",
        "auto",
    ),
    "memory_locality": Parameter("text", "Order in the memory buffer, likewise.", "off0"),
    "memory": Parameter(
        "size", "The buffer that is walked through; 0 is 64 MiB, or one operation for off0.", 0
    ),
    "xfer": Parameter("size", "Bytes of an operation.", "16 KiB", minimum=1),
    "operations": Parameter("count", "Operations of a rank.", 1000, minimum=1),
    "file_size": Parameter(
        "size", "The part of a rank's file that is walked through; 0: operations times xfer.", 0
    ),
    "align": Parameter("size", "Offsets are multiples of it.", "1 B", minimum=1),
    "cache": Parameter(
        "choice",
        "Page cache when the access begins: untouched; cached: it holds the file; uncached: not; both "
        "proven. discarded: to /dev/null and from /dev/zero.",
        "untouched",
        ("untouched", "cached", "uncached", "discarded"),
    ),
    "direct": Parameter("flag", "Open with O_DIRECT.", False),
    "overwrite": Parameter("flag", "Write into a file that was written before, untimed.", False),
    "sync": Parameter("flag", "Synchronise to storage at the end of the write.", True),
    "verify": Parameter("flag", "Compare every byte; the comparison falls into io_s of a read.", False),
    "seed": Parameter("count", "Of random offsets and of the data.", 0),
    "times": Parameter("flag", "Keep the time and offset of each operation, beside the histogram.", False),
    "sample": Parameter(
        "seconds", "Time between two samples of the system's counters while it runs; 0 is none.", 0.0
    ),
    "counters": Parameter("text", "Further files to sample, separated by commas, as /proc/vmstat.", ""),
    "stripe_count": STRIPE_COUNT,
}
_LABEL_FLAGS = ("direct", "overwrite", "verify")


class IoModel(EngineOnlyTool):
    """weir-io io-model."""

    name = "io-model"
    purpose = "latency"
    programs = (("weir-io", "io-model"),)
    parameters = PARAMETERS

    def label(self, params: Mapping[str, Any]) -> str:
        """The label, such as 'POSIX write random 16 KiB x 10000'; defaults are omitted."""
        terms = [params["api"], "+".join(params["access"]), params["order"]]
        terms += [params["locality"]] if params["locality"] != "auto" else []
        terms += [format_size(params["xfer_bytes"]), f"x {params['operations']}"]
        terms += [f"in {format_size(params['file_size_bytes'])}"] if params["file_size_bytes"] else []
        if params["memory_locality"] != "off0":
            terms.append(f"memory-{params['memory_locality']}")
        terms += [f"memory {format_size(params['memory_bytes'])}"] if params["memory_bytes"] else []
        terms += [f"align-{format_size(params['align_bytes'])}"] if params["align_bytes"] != 1 else []
        terms += [params["cache"]] if params["cache"] != "untouched" else []
        terms += [flag for flag in _LABEL_FLAGS if params[flag]]
        terms += [] if params["sync"] else ["no-sync"]
        terms += [f"seed-{params['seed']}"] if params["seed"] else []
        terms += stripe_terms(params)
        return " ".join(terms)

    def problems(self, cell: Cell, target: Target) -> Sequence[str]:
        return find_problems(cell, target)

    def command(self, cell: Cell, target: Target, program: Sequence[str], paths: RunPaths) -> list[str]:
        params = cell.params
        arguments = [*program, "-a", params["api"], *(f"-{access[0]}" for access in params["access"])]
        arguments += ["-n", str(params["operations"]), "-t", str(params["xfer_bytes"])]
        arguments += [
            "-b",
            str(file_bytes_of(cell)),
            "-f",
            file_locality(params),
            "-m",
            params["memory_locality"],
        ]
        arguments += ["-M", str(params["memory_bytes"])] if params["memory_bytes"] else []
        arguments += [
            "--align",
            str(params["align_bytes"]),
            "-c",
            params["cache"],
            "-i",
            str(cell.iterations),
        ]
        arguments += ["--seed", str(params["seed"]), *_file_options(params)]
        arguments += ["--times", str(paths.outputs / "operations")] if params["times"] else []
        arguments += _sample_options(params, paths.outputs)
        return [*arguments, "--json", str(paths.outputs / "summary.json"), "-o", paths.data]

    def footprint(self, cell: Cell) -> Footprint:
        params = cell.params
        writes, reads = (cell.iterations * (access in params["access"]) for access in ("write", "read"))
        rank_bytes = params["operations"] * params["xfer_bytes"]
        stored = params["cache"] != "discarded"
        whole_bytes = file_bytes_of(cell) * cell.ranks if stored else 0
        fills = _prefills(params)
        compares = writes if params["verify"] else 0
        warms = (reads + writes) if params["cache"] == "cached" else 0
        return Footprint(
            written_bytes=rank_bytes * cell.ranks * writes * stored + whole_bytes * fills,
            read_bytes=rank_bytes * cell.ranks * (reads + compares) * stored + whole_bytes * warms,
            peak_bytes=whole_bytes,
            inodes=cell.ranks if stored else 0,
            operations=params["operations"] * cell.ranks * (writes + reads + compares),
        )

    def parse(self, outputs: Mapping[str, Path]) -> Parsed:
        """Each of summary, stdout and stderr may be missing or cut; files of times have any other role."""
        texts = read_texts(outputs)
        document, stderr = read_document(texts.get("summary", "")), messages_in(texts.get("stderr", ""))
        if document is not None:
            return with_messages(self._of_document(document), stderr)
        parsed = with_messages(parsed_output(texts.get("stdout", "")), stderr)
        times = [text for text in texts.values() if is_times(text)]
        rows = tuple(row | latencies_of(times) for row in parsed.rows) if times else parsed.rows
        return replace(parsed, rows=rows)

    def _printed_runs(self, text: str) -> Sequence[Parsed]:
        parsed = parsed_output(text)
        # A line that begins with Error or Warning is anybody's, unless there is no other.
        is_told = parsed.rows or parsed.requested or (parsed.messages and holds_only_messages(text))
        return [parsed] if is_told else []

    def _row(self, row: Row, result: Mapping[str, Any], requested: Mapping[str, Any]) -> Row:
        row["observed"]["resident_bytes"] = result.get("resident_bytes")
        row["observed"]["cache"] = requested.get("cache")
        # The file need not have the size of what was moved: offsets are missed, met twice, or were before.
        row["observed"]["scattered"] = requested.get("file_locality") != "seq" or requested.get("prefill")
        row["observed"]["least_bytes_of_rank"] = _least_bytes(requested)
        changed: Row = {"sync": None} if row["access"] == "read" else {}
        if requested.get("cache") == "discarded":
            changed |= {"file_bytes": None, "sync": None}
        return row | changed

    def latencies(self, outputs: Mapping[str, Path]) -> Iterable[Row]:
        return latency_buckets(outputs)


def _prefills(params: Mapping[str, Any]) -> bool:
    """A run starts in an empty folder, so what is only read must be written first."""
    if params["cache"] == "discarded":
        return False
    return bool(params["overwrite"]) or "write" not in params["access"]


def _file_options(params: Mapping[str, Any]) -> list[str]:
    arguments = ["--direct"] if params["direct"] else []
    arguments += ["--verify"] if params["verify"] else []
    if params["cache"] == "discarded":
        return arguments
    arguments += ["--prefill"] if _prefills(params) else []
    if "write" in params["access"]:
        arguments += [] if params["overwrite"] else ["--truncate"]
        arguments += ["-e"] if params["sync"] else []
    return arguments


def _sample_options(params: Mapping[str, Any], outputs: Path) -> list[str]:
    if not params["sample"]:
        return []
    arguments = ["--samples", str(outputs / "counters"), "--sample-every", f"{params['sample']:g}"]
    return arguments + (["--counters", params["counters"]] if params["counters"] else [])


TOOL = IoModel()
