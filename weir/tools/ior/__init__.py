"""ior: parallel reads and writes of one file or one file per process, on weir-io or on the original IOR."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from weir.base.units import format_size
from weir.records.model import Cell, Footprint, Parsed, Row, Target
from weir.tools.base import Habits, Parameter, RunPaths
from weir.tools.engine import EngineTool, is_engine, read_document
from weir.tools.ior.arguments import API_NAMES, API_OPTIONS, IOR_OPTIONS, parse_arguments
from weir.tools.ior.log import ELSEWHERE, GREATEST, START
from weir.tools.ior.problems import find_problems, what_the_original_cannot
from weir.tools.ior.rows import parse_log, parse_outputs
from weir.tools.outputs import read_texts
from weir.tools.target_files import OSTS, POOL, STRIPE_COUNT, netcdf_name, stripe_terms

PARAMETERS: Mapping[str, Parameter] = {
    "api": Parameter("choice", "Interface to the storage (IOR -a).", "POSIX", tuple(API_OPTIONS)),
    "layout": Parameter(
        "choice",
        "One file for all ranks, or one for each (IOR -F).",
        "shared",
        ("shared", "file-per-process"),
    ),
    "order": Parameter(
        "choice", "Order of the offsets within a file (IOR -z).", "sequential", ("sequential", "random")
    ),
    "random_twice": Parameter(
        "flag",
        "Blocks at random offsets of the whole file, which is laid out before: some come again, others never "
        "(IOR -z -z; weir-io only).",
        False,
    ),
    "xfer": Parameter("size", "Bytes of one call (IOR -t).", "1 MiB", minimum=1),
    "block": Parameter("size", "Contiguous bytes a rank owns in one segment (IOR -b).", "16 MiB", minimum=1),
    "segments": Parameter("count", "Segments per file (IOR -s).", 1, minimum=1),
    "access": Parameter(
        "choices", "What is timed, in this order (IOR -w, -r).", ("write", "read"), ("write", "read")
    ),
    "collective": Parameter("flag", "Collective calls (IOR -c).", False),
    "sync": Parameter("flag", "Synchronise to storage within the write phase (IOR -e).", True),
    "barriers": Parameter("flag", "Barriers between open, transfer and close (IOR -g).", True),
    "stonewall": Parameter("seconds", "Stop writing or reading after this time (IOR -D); 0 is never.", 0.0),
    "wear_out": Parameter(
        "flag", "After the stonewall, every rank moves as much as the fastest one did.", False
    ),
    "reorder": Parameter(
        "choice",
        "Which rank reads back whose data: its own, the next node's (IOR -C), a random rank's (IOR -Z).",
        "none",
        ("none", "constant", "random"),
    ),
    "reorder_nodes": Parameter(
        "count", "How many nodes away is the rank whose data is read (IOR -Q); with reorder.", 1, minimum=1
    ),
    "verify_write": Parameter("flag", "Read back and compare after writing (IOR -W).", False),
    "verify_read": Parameter("flag", "Compare while reading (IOR -R).", False),
    "payload": Parameter(
        "choice",
        "Data (IOR -l): random bytes; IOR's own default, which compression and deduplication reduce; or data "
        "that they reduce by given shares (weir-io only).",
        "random",
        ("random", "timestamp", "controlled"),
    ),
    "compress_percent": Parameter(
        "count", "Percentage of every 4 KiB that a compressor saves (payload: controlled).", 0
    ),
    "dedupe_percent": Parameter("count", "Percentage of identical blocks of 4 KiB (payload: controlled).", 0),
    "iodepth": Parameter(
        "count", "Queue depth: outstanding transfers of a rank (URING; AIO in IOR).", 1, minimum=1
    ),
    "rate": Parameter(
        "count",
        "Transfers started per second, all ranks together, however long they take (weir-io only); 0: no "
        "schedule.",
        0,
    ),
    "rw_mix": Parameter(
        "count",
        "Share of reads, in percent, of a phase that reads and writes at once; 0: one after the other "
        "(weir-io only).",
        0,
    ),
    "zipf": Parameter(
        "number",
        "Hot spots: exponent of the Zipf distribution of the offsets; 0: each offset once (weir-io only).",
        0.0,
    ),
    "distribution": Parameter(
        "choice",
        "Transfers of the ranks in a shared file: blocks as in IOR, turn by turn, in turns within parts of a "
        "segment, or boxes of a 3-D array (weir-io only).",
        "blocks",
        ("blocks", "interleaved", "nested", "subarray"),
    ),
    "file_view": Parameter(
        "flag", "One MPI-IO call moves a rank's whole block through a view of the file (weir-io only).", False
    ),
    "direct": Parameter("flag", "Open with O_DIRECT, past the page cache (POSIX and URING).", False),
    "drop_caches": Parameter(
        "flag",
        "Drop the files' pages from every node's page cache before each read, untimed (weir-io only).",
        False,
    ),
    "read_again": Parameter(
        "flag",
        "A read that ends before its stonewall begins again, after its pages were dropped, untimed (weir-io "
        "only).",
        False,
    ),
    "fill_memory": Parameter(
        "count",
        "Percentage of each node's memory that the program holds, so that it cannot cache (-M; IOR only).",
        0,
    ),
    "hints": Parameter("hints", "MPI-IO hints for the open.", {}),
    "stripe_count": STRIPE_COUNT,
    "pool": POOL,
    "osts": OSTS,
    "keep": Parameter("flag", "Leave the file after the run (IOR -k).", False),
}
_FLAGS = {
    "sync": "-e",
    "barriers": "-g",
    "collective": "-c",
    "verify_write": "-W",
    "verify_read": "-R",
    "keep": "-k",
}
_REORDER = {"none": [], "constant": ["-C"], "random": ["-Z"]}
_SEED = 1
_ENDLESS_PASSES = 10**6  # a number that only the stonewall ends
_ACCESS = {"write": "-w", "read": "-r"}
_LABEL_COUNTS = {
    "compress_percent": "compress-{}%",
    "dedupe_percent": "dedupe-{}%",
    "iodepth": "iodepth-{}",
    "rate": "rate-{}/s",
    "rw_mix": "reads-{}%",
    "zipf": "zipf-{:g}",
    "distribution": "{}",
    "fill_memory": "memory-{}%",
    "reorder_nodes": "nodes-away-{}",
}
_LABEL_FLAGS = (
    "random_twice",
    "collective",
    "file_view",
    "direct",
    "drop_caches",
    "read_again",
    "wear_out",
    "verify_write",
    "verify_read",
    "keep",
)


class Ior(EngineTool):
    """IOR, or weir-io instead: same command line, same meaning."""

    name = "ior"
    log_start = START
    output_pattern = re.compile(r"^Max (Write|Read): +[\d.]+ MiB/sec", re.MULTILINE)
    other_files = ((ELSEWHERE, "what IOR prints beside a summary file, which has its results"),)
    unread = (GREATEST, "the greatest rates of IOR alone, which are not read (use all that it prints)")
    observing_command = "weir-io ior OPTIONS OF IOR --json=run.json"
    purpose = "bandwidth"
    programs = (("weir-io", "ior"), ("ior",))
    parameters = PARAMETERS
    interface_names = API_NAMES

    def label(self, params: Mapping[str, Any]) -> str:
        """The label, such as 'MPIIO shared random 16KiB of 1MiB'; defaults are omitted."""
        xfer, block = (format_size(params[key]).replace(" ", "") for key in ("xfer_bytes", "block_bytes"))
        terms = [params["api"], params["layout"], params["order"], f"{xfer} of {block}"]
        if params["segments"] > 1:
            terms.append(f"x{params['segments']}")
        if tuple(params["access"]) != ("write", "read"):
            terms.append("+".join(params["access"]))
        if not params["sync"]:
            terms.append("no-sync")
        if not params["barriers"]:
            terms.append("no-barriers")
        if params["stonewall"]:
            terms.append(f"stonewall-{params['stonewall']:g}s")
        if params["reorder"] != "none":
            terms.append(f"reorder-{params['reorder']}")
        if params["payload"] != "random":
            terms.append(params["payload"])
        terms += [
            word.format(params[key])
            for key, word in _LABEL_COUNTS.items()
            if params[key] != PARAMETERS[key].default
        ]
        terms += [flag.replace("_", "-") for flag in _LABEL_FLAGS if params[flag]]
        terms += [f"{key}={value}" for key, value in sorted(params["hints"].items())]
        terms += stripe_terms(params)
        return " ".join(terms)

    def problems(self, cell: Cell, target: Target) -> Sequence[str]:
        return find_problems(cell, target)

    def command(self, cell: Cell, target: Target, program: Sequence[str], paths: RunPaths) -> list[str]:
        """The same options for weir-io and IOR: the table on stdout, the document or IOR's JSON in a file."""
        params = cell.params
        arguments = [*program, "-a", _api_option(params["api"], program), "-i", str(cell.iterations)]
        arguments += ["-t", str(params["xfer_bytes"]), "-b", str(params["block_bytes"])]
        arguments += ["-s", str(params["segments"])]
        arguments += [_ACCESS[access] for access in params["access"]]
        arguments += [option for flag, option in _FLAGS.items() if params[flag]]
        arguments += ["-F"] if params["layout"] == "file-per-process" else []
        arguments += ["-z"] if params["order"] == "random" else []
        arguments += ["-z"] if params["random_twice"] else []
        draws = params["order"] == "random" or params["zipf"] or params["rw_mix"]
        if draws and params["verify_read"]:
            arguments += [f"--random-offset-seed={_SEED}"]  # IOR wants to know where to find what it wrote
        arguments += _REORDER[params["reorder"]]
        arguments += ["-Q", str(params["reorder_nodes"])] if params["reorder_nodes"] != 1 else []
        arguments += _data_options(params)
        arguments += _queue_options(params, program)
        arguments += [f"--rate={params['rate']}"] if params["rate"] else []
        arguments += _pattern_options(params)
        arguments += ["--posix.odirect"] if params["direct"] else []
        arguments += ["-M", f"{params['fill_memory']}%"] if params["fill_memory"] else []
        # IOR has no such options: unsupported() excludes what would need them.
        own = {"drop_caches": "--drop-caches", "read_again": "--read-again"} if is_engine(program) else {}
        arguments += [option for flag, option in own.items() if params[flag]]
        if params["stonewall"]:
            arguments += ["-D", f"{params['stonewall']:g}"]
            arguments += ["-O", "stoneWallingWearOut=1"] if params["wear_out"] else []
        summary = paths.outputs / "summary.json"
        own_json = ["-O", f"summaryFile={summary}", "-O", "summaryFormat=JSON"]
        arguments += [f"--json={summary}"] if is_engine(program) else own_json
        return [*arguments, "-o", netcdf_name(paths.data) if params["api"] == "NETCDF4" else paths.data]

    def unsupported(self, cell: Cell, program: Sequence[str]) -> str | None:
        return None if is_engine(program) else what_the_original_cannot(cell.params)

    def requested_by(self, command: str) -> Mapping[str, Any]:
        return parse_arguments(command)

    def habits(self, row: Row) -> Habits:
        """Nothing for weir-io, which counts and reports all of it."""
        if row.get("program") != "IOR":
            return Habits()
        return Habits(
            sync_dropped=_sync_dropped(str(row.get("tool_version") or ""), row.get("api")),
            ranks_draw_apart=True,
            size_of_one_file=True,
            size_may_lag=True,
            times_opens_and_closes=True,
        )

    def environment(self, cell: Cell) -> Mapping[str, str]:
        """Hints: IOR has no option for them."""
        return {f"IOR_HINT__MPI__{key}": value for key, value in sorted(cell.params["hints"].items())}

    def interfaces(self, program: Sequence[str], ask: Callable[[Sequence[str]], str]) -> Sequence[str]:
        """The interfaces in `-a S  api -- API for I/O [POSIX|DUMMY|MPIIO]`, a line of the help of an IOR."""
        listed = re.search(r"^\s*-a\b.*\[([A-Z0-9_|]+)\]", ask([*program, "--help"]), re.MULTILINE)
        return listed[1].split("|") if listed else ()

    def _ranks_of_original(self, program: Sequence[str], outputs: Path) -> list[str]:
        """A write of 8 bytes for each rank, which each IOR since 2.10 can do."""
        return [*program, "-a", "POSIX", "-w", "-F", "-t", "8", "-b", "8", "-o", str(outputs / "data")]

    def _printed_job(self, printed: str) -> tuple[int, int]:
        found = [one.requested for one in parse_log(printed) if one.requested.keys() >= {"tasks", "nodes"}]
        return (found[0]["tasks"], found[0]["nodes"]) if found else (0, 0)

    def footprint(self, cell: Cell) -> Footprint:
        """All that is requested; a stonewall makes it less, by how much depends on the target."""
        params = cell.params
        data_bytes = cell.ranks * params["block_bytes"] * params["segments"]
        writes, reads = (cell.iterations * (access in params["access"]) for access in ("write", "read"))
        if params["rw_mix"]:  # the file is laid out before
            writes, reads = 2 * cell.iterations, cell.iterations
        reads_back = writes if params["verify_write"] else 0
        passes = _ENDLESS_PASSES if params["read_again"] else 1
        files = cell.ranks if params["layout"] == "file-per-process" else 1
        return Footprint(
            written_bytes=data_bytes * writes,
            read_bytes=data_bytes * (reads * passes + reads_back),
            peak_bytes=data_bytes,
            inodes=files,
            operations=data_bytes // params["xfer_bytes"] * (writes + reads + reads_back),
            stonewall_s=params["stonewall"],
        )

    def parse(self, outputs: Mapping[str, Path]) -> Parsed:
        texts = read_texts(outputs)
        document = read_document(texts.get("summary", ""))
        return parse_outputs(texts, self._of_document(document) if document is not None else None)

    def _printed_runs(self, text: str) -> Sequence[Parsed]:
        return parse_log(text)

    def _row(self, row: Row, result: Mapping[str, Any], requested: Mapping[str, Any]) -> Row:
        """The depth of the queue that ran; a back end without a queue waits for each transfer."""
        queue = (result.get("observed") or {}).get("queue") or {}
        return row | {"iodepth": queue.get("depth", 1)}


def _api_option(api: str, program: Sequence[str]) -> str:
    """IOR has other names for the back ends NULL and URING."""
    return API_OPTIONS[api] if is_engine(program) else IOR_OPTIONS.get(api, API_OPTIONS[api])


def _data_options(params: Mapping[str, Any]) -> list[str]:
    if params["payload"] != "controlled":
        return ["-l=random"] if params["payload"] == "random" else []
    shares = f"{params['compress_percent']}", f"{params['dedupe_percent']}"
    return ["-l=controlled", f"--buffer-compress-percentage={shares[0]}", f"--dedupe-percentage={shares[1]}"]


def _pattern_options(params: Mapping[str, Any]) -> list[str]:
    arguments = [f"--rw-mix={params['rw_mix']}"] if params["rw_mix"] else []
    arguments += [f"--zipf={params['zipf']:g}"] if params["zipf"] else []
    arguments += [f"--distribution={params['distribution']}"] if params["distribution"] != "blocks" else []
    return arguments + (["--mpiio.useFileView"] if params["file_view"] else [])


def _queue_options(params: Mapping[str, Any], program: Sequence[str]) -> list[str]:
    if params["api"] != "URING":
        return []
    if is_engine(program):
        return [f"--uring.depth={params['iodepth']}"]
    # IOR submits by default 16 transfers together and then waits for all 16: its queue would run empty.
    return [f"--aio.max-pending={params['iodepth']}", "--aio.granularity=1"]


def _sync_dropped(version: str, api: str | None) -> str | None:
    """Tables of results have no warnings; version and interface show the behaviour."""
    if version.startswith(("2.", "3.0")) and api != "POSIX":
        return f"IOR {version} synchronises with POSIX only, this ran on {api}"
    if version.startswith("4.") and api == "IME":
        return f"IOR {version} does not synchronise with IME"
    return None


TOOL = Ior()
