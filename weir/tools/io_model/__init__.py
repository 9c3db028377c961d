"""io-model: single operations timed one by one, on weir-io; outputs of the original are read too."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from weir.base.units import format_size
from weir.records.model import Cell, Footprint, Parsed, Row, Target
from weir.tools.base import Parameter, RunPaths
from weir.tools.engine import EngineOnlyTool, latency_buckets, read_document, with_messages
from weir.tools.io_model.original import (
    holds_only_messages,
    is_times,
    latencies_of,
    messages_in,
    parsed_output,
)
from weir.tools.outputs import binary_size, read_texts
from weir.tools.target_files import STRIPE_COUNT, reach_problems, stripe_problems, stripe_terms

_FORMS = "off0, seq, rnd, rndX, strideX, strideX,Y or reverseX, X and Y in bytes or with k, m, g"
_SIZE = r"([0-9]{1,19}[kmgtKMGT]?)"
_FORM = re.compile(rf"off0|seq|rnd|rnd{_SIZE}|stride{_SIZE}(?:,{_SIZE})?|reverse{_SIZE}?")


@dataclass(frozen=True)
class Locality:
    """A locality as written; reach_bytes is the larger of X and Y."""

    word: str
    reach_bytes: int

    @property
    def is_random(self) -> bool:
        return self.word.startswith("rnd") or "," in self.word


def parse_locality(word: str) -> Locality | None:
    """Nothing where it is none."""
    match = _FORM.fullmatch(word)
    if match is None:
        return None
    return Locality(word, max((binary_size(size) or 0 for size in match.groups() if size), default=0))


def file_locality(params: Mapping[str, Any]) -> str:
    """The one that was given, else that of the order."""
    by_order = "rnd" if params["order"] == "random" else "seq"
    return by_order if params["locality"] == "auto" else str(params["locality"])


_OPERATIONS_MAX = 2**24
_DIRECT_BYTES = 512
_KINDS_IN_MEMORY = ("memory", "pool")


def file_bytes_of(cell: Cell) -> int:
    """The part of each file that is walked through."""
    given: int = cell.params["file_size_bytes"]
    return given or cell.params["operations"] * cell.params["xfer_bytes"]


def _localities(cell: Cell) -> Iterator[str]:
    params, xfer_bytes = cell.params, cell.params["xfer_bytes"]
    in_file = parse_locality(file_locality(params))
    if in_file is None:
        yield f"locality '{params['locality']}' is none of {_FORMS}"
    elif in_file.is_random != (params["order"] == "random"):
        order = "random" if in_file.is_random else "sequential"
        yield f"locality {in_file.word} is {order}: order must be {order} too"
    elif in_file.reach_bytes > file_bytes_of(cell) - xfer_bytes:
        yield f"locality {in_file.word} reaches further than the file of {format_size(file_bytes_of(cell))}"
    in_memory = parse_locality(params["memory_locality"])
    memory_bytes = params["memory_bytes"]
    if in_memory is None:
        yield f"memory_locality '{params['memory_locality']}' is none of {_FORMS}"
    elif memory_bytes and in_memory.reach_bytes > memory_bytes - xfer_bytes:
        yield f"memory_locality {in_memory.word} reaches further than memory, {format_size(memory_bytes)}"


def _geometry(cell: Cell) -> Iterator[str]:
    params = cell.params
    xfer_bytes, operations, file_bytes = params["xfer_bytes"], params["operations"], file_bytes_of(cell)
    if operations > _OPERATIONS_MAX:
        yield f"{operations} operations are more than the {_OPERATIONS_MAX} whose times can be kept"
    for name, space_bytes in (("file_size", file_bytes), ("memory", params["memory_bytes"])):
        if space_bytes and space_bytes < xfer_bytes:
            yield f"{name} {format_size(space_bytes)} cannot hold {format_size(xfer_bytes)}"
    fit = file_bytes // xfer_bytes
    if file_locality(params) == "seq" and operations > fit:
        yield f"only {fit} of {operations} sequential operations fit into a file of {format_size(file_bytes)}"
    if params["direct"] and (xfer_bytes % _DIRECT_BYTES or params["align_bytes"] % _DIRECT_BYTES):
        yield f"direct needs xfer and align in multiples of {_DIRECT_BYTES} bytes, such as align: 4 KiB"


def _requests(cell: Cell) -> Iterator[str]:
    params = cell.params
    access = set(params["access"])
    part = file_locality(params) != "seq" or params["operations"] * params["xfer_bytes"] < file_bytes_of(cell)
    if not access:
        yield "nothing is requested: access is empty"
    if access == {"read", "write"} and part and not params["overwrite"] and params["cache"] != "discarded":
        yield "the write leaves holes that the read would meet: give overwrite, or a cell for each access"
    if params["counters"] and not params["sample"]:
        yield "counters are files to sample: give sample, the time between two samples"
    if params["verify"] and params["api"] == "NULL":
        yield "NULL stores nothing that could be compared"
    if params["direct"] and params["api"] != "POSIX":
        yield f"{params['api']} cannot open a file with O_DIRECT"


def _storage(cell: Cell, target: Target) -> Iterator[str]:
    params = cell.params
    cache, api = params["cache"], params["api"]
    if cache == "discarded":
        if api != "POSIX":
            yield f"cache: discarded goes to /dev/null, which {api} does not reach"
        if params["verify"] or params["direct"] or params["overwrite"]:
            yield "cache: discarded has no file: no verify, direct or overwrite"
    elif cache != "untouched" and (target.prefix or api in ("IME", "NULL")):
        yield f"cache: {cache} steers the page cache of the node, which {api} on {target.name} does not use"
    elif cache == "uncached" and target.kind in _KINDS_IN_MEMORY:
        yield f"cache: uncached has no effect on {target.name}, which is memory itself"
    elif cache == "cached" and params["direct"]:
        yield "cache: cached and direct exclude each other"
    if api != "POSIX" or cache != "discarded":
        yield from reach_problems(api, target)


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
        of_cell = (*_localities(cell), *_geometry(cell), *_requests(cell))
        return [*of_cell, *_storage(cell, target), *stripe_problems(cell, target)]

    def command(self, cell: Cell, target: Target, program: Sequence[str], paths: RunPaths) -> list[str]:
        params = cell.params
        arguments = [*program, "-a", params["api"], *(f"-{access[0]}" for access in params["access"])]
        arguments += ["-n", str(params["operations"]), "-t", str(params["xfer_bytes"])]
        arguments += ["-b", str(file_bytes_of(cell)), "-f", file_locality(params)]
        arguments += ["-m", params["memory_locality"]]
        arguments += ["-M", str(params["memory_bytes"])] if params["memory_bytes"] else []
        arguments += ["--align", str(params["align_bytes"]), "-c", params["cache"]]
        arguments += ["-i", str(cell.iterations), "--seed", str(params["seed"]), *_file_options(params)]
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
