"""mdtest: operations per second on many files or directories, on weir-io or on the original mdtest."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from weir.base.units import format_size
from weir.records.model import Cell, Footprint, Parsed, Row, Target
from weir.tools.base import Parameter, RunPaths
from weir.tools.engine import EngineTool, is_engine, read_document, with_messages
from weir.tools.mdtest.table import (
    ROW,
    ROWS_ALONE,
    START,
    messages_in,
    parse_command,
    parsed_table,
    printed_job,
    printed_runs,
)
from weir.tools.outputs import read_texts
from weir.tools.target_files import ime_problems


def _accesses(cell: Cell) -> Iterator[str]:
    access = cell.params["access"]
    if "create" not in access:
        yield "there is nothing to look at: every run starts with an empty directory, so access needs create"
    if "read" in access and cell.params["item"] == "directory":
        yield "mdtest does not read directories"
    if "rename" in access and cell.params["item"] == "file":
        yield "mdtest renames directories only"


def _items(cell: Cell) -> Iterator[str]:
    params = cell.params
    holders = params["branches"] ** params["depth"] if params["leaf_only"] else _directories(params)
    if params["items_per_rank"] % holders:
        yield f"{params['items_per_rank']} items cannot be shared out evenly over {holders} directories"
    if params["item"] == "directory" and params["xfer_bytes"]:
        yield "a directory has no bytes: xfer belongs to files"
    if params["sync_files"] and not params["xfer_bytes"]:
        yield "sync_files synchronises what was written, and xfer is 0 B"
    if params["verify_read"] and not (params["xfer_bytes"] and "read" in params["access"]):
        yield "verify_read needs read in access and an xfer above 0 B"
    if params["shift"] and params["shift"] % cell.ranks == 0:
        yield f"a shift by {params['shift']} of {cell.ranks} ranks gives each its own items back"


def _stonewall(cell: Cell) -> Iterator[str]:
    params = cell.params
    if not params["stonewall"]:
        return
    if params["stonewall"] != int(params["stonewall"]):
        yield f"a stonewall has whole seconds in mdtest, and this one has {params['stonewall']:g}"
    if params["item"] == "directory" or params["depth"]:
        yield "the stonewall stops the creation of files in one directory: item file, depth 0"
    if params["order"] == "random":
        yield "with a stonewall it is not known how many items there are to shuffle"


def _interface(cell: Cell) -> Iterator[str]:
    api, params = cell.params["api"], cell.params
    if api == "IME" and params["sync"]:
        yield "IME has no synchronisation of a whole file system"
    if api == "IME" and "rename" in params["access"]:
        yield "IME has no rename"
    if api == "NULL" and params["verify_read"]:
        yield "NULL stores nothing that could be compared"


PARAMETERS: Mapping[str, Parameter] = {
    "api": Parameter("choice", "Interface to the storage (mdtest -a).", "POSIX", ("POSIX", "IME", "NULL")),
    "item": Parameter(
        "choice", "What is created, looked at and removed (mdtest -F, -D).", "file", ("file", "directory")
    ),
    "directories": Parameter(
        "choice",
        "A directory of its own for each rank (mdtest -u), or one for all.",
        "shared",
        ("shared", "own"),
    ),
    "items_per_rank": Parameter("count", "Files or directories of each rank (mdtest -n).", 1000, minimum=1),
    "xfer": Parameter(
        "size", "Bytes of each file, written at one go after the create (mdtest -w, -e).", "0 B"
    ),
    "access": Parameter(
        "choices",
        "What is timed, in this order (mdtest -C, -T, -E, -U, -r); read opens, reads all, closes.",
        ("create", "stat", "read", "remove"),
        ("create", "stat", "read", "rename", "remove"),
    ),
    "order": Parameter(
        "choice", "Order of stat and read (mdtest -R).", "sequential", ("sequential", "random")
    ),
    "shift": Parameter(
        "count", "From phase to phase, each rank takes the items of the rank so many on (mdtest -N).", 0
    ),
    "branches": Parameter("count", "Directories below each directory (mdtest -b).", 1, minimum=1),
    "depth": Parameter("count", "Levels of directories below the root of the tree (mdtest -z).", 0),
    "leaf_only": Parameter("flag", "Items in the lowest directories only (mdtest -L).", False),
    "stonewall": Parameter(
        "seconds",
        "Stop creating after this time; then all ranks make as many as the quickest (mdtest -W).",
        0.0,
    ),
    "sync_files": Parameter("flag", "Synchronise each file after it was written (mdtest -y).", False),
    "sync": Parameter("flag", "Synchronise the file system at the end of each phase (mdtest -Y).", False),
    "verify_read": Parameter("flag", "Compare while reading (mdtest -X).", False),
}
_MOST_PRINTED = 3  # iterations whose rates follow from what mdtest prints
_ACCESS = {"create": "-C", "stat": "-T", "read": "-E", "rename": "-U", "remove": "-r"}
_FLAGS = {"leaf_only": "-L", "sync_files": "-y", "sync": "-Y", "verify_read": "-X"}
_NUMBERS = {"items_per_rank": "-n", "shift": "-N", "branches": "-b", "depth": "-z"}


class Mdtest(EngineTool):
    """mdtest, or weir-io instead: same command line, same meaning."""

    name = "mdtest"
    log_start = START
    output_pattern = ROW
    unread = (ROWS_ALONE, "rows of mdtest without their title, which are not read (use all that it prints)")
    observing_command = "weir-io mdtest OPTIONS OF MDTEST --json=run.json"
    purpose = "metadata"
    programs = (("weir-io", "mdtest"), ("mdtest",))
    parameters = PARAMETERS

    def label(self, params: Mapping[str, Any]) -> str:
        """The label, such as 'POSIX 1000 files 3901B shared shift-1'; defaults are omitted."""
        items = "directories" if params["item"] == "directory" else "files"
        terms = [params["api"], f"{params['items_per_rank']} {items}"]
        terms += [format_size(params["xfer_bytes"]).replace(" ", "")] if params["xfer_bytes"] else []
        terms.append(params["directories"])
        if params["depth"]:
            terms.append(f"tree-{params['branches']}^{params['depth']}")
        if tuple(params["access"]) != PARAMETERS["access"].default:
            terms.append("+".join(params["access"]))
        terms += ["random"] if params["order"] == "random" else []
        terms += [f"shift-{params['shift']}"] if params["shift"] else []
        terms += [f"stonewall-{params['stonewall']:g}s"] if params["stonewall"] else []
        terms += [flag.replace("_", "-") for flag in _FLAGS if params[flag]]
        return " ".join(terms)

    def problems(self, cell: Cell, target: Target) -> Sequence[str]:
        of_cell = (*_accesses(cell), *_items(cell), *_stonewall(cell), *_interface(cell))
        return [*of_cell, *ime_problems(cell.params["api"], target)]

    def command(self, cell: Cell, target: Target, program: Sequence[str], paths: RunPaths) -> list[str]:
        """One line that weir-io and mdtest both take; only weir-io keeps a document beside its tables."""
        params = cell.params
        ours = is_engine(program)
        api = "DUMMY" if params["api"] == "NULL" and not ours else params["api"]
        arguments = [*program, "-a", api, "-i", str(cell.iterations)]
        arguments += ["-F" if params["item"] == "file" else "-D"]
        arguments += [_ACCESS[access] for access in params["access"]]
        arguments += ["-u"] if params["directories"] == "own" else []
        for name, option in _NUMBERS.items():
            if params[name] != PARAMETERS[name].default or name == "items_per_rank":
                arguments += [option, str(params[name])]
        if params["xfer_bytes"]:
            arguments += ["-w", str(params["xfer_bytes"])]
            arguments += ["-e", str(params["xfer_bytes"])] if "read" in params["access"] else []
        arguments += [option for flag, option in _FLAGS.items() if params[flag]]
        arguments += ["-R"] if params["order"] == "random" else []
        arguments += ["-W", f"{params['stonewall']:g}"] if params["stonewall"] else []
        arguments += ["-d", paths.data]
        return [*arguments, f"--json={paths.outputs / 'summary.json'}"] if ours else arguments

    def unsupported(self, cell: Cell, program: Sequence[str]) -> str | None:
        """mdtest prints the greatest, the least and the mean rate: no more than three are known."""
        if is_engine(program) or cell.iterations <= _MOST_PRINTED:
            return None
        return f"mdtest prints the mean of {cell.iterations} iterations, not each"

    def _ranks_of_original(self, program: Sequence[str], outputs: Path) -> list[str]:
        """The creation of an empty file by each rank."""
        return [*program, "-C", "-F", "-n", "1", "-d", str(outputs / "data")]

    def _printed_job(self, printed: str) -> tuple[int, int]:
        return printed_job(printed)

    def footprint(self, cell: Cell) -> Footprint:
        """The most it can cost; what is not removed stays for all iterations."""
        params = cell.params
        items = cell.ranks * params["items_per_rank"]
        trees = cell.ranks if params["directories"] == "own" else 1
        names = items + trees * _directories(params) + 2
        kept = 1 if "remove" in params["access"] else cell.iterations
        reads = cell.iterations if "read" in params["access"] else 0
        return Footprint(
            written_bytes=items * params["xfer_bytes"] * cell.iterations,
            read_bytes=items * params["xfer_bytes"] * reads,
            peak_bytes=items * params["xfer_bytes"] * kept,
            inodes=names * kept,
            operations=items * len(params["access"]) * cell.iterations,
        )

    def parse(self, outputs: Mapping[str, Path]) -> Parsed:
        """Each of summary, stdout and stderr may be missing or cut."""
        texts = read_texts(outputs)
        document, stderr = read_document(texts.get("summary", "")), messages_in(texts.get("stderr", ""))
        if document is None:
            return with_messages(parsed_table(texts.get("stdout", "")), stderr)
        # The document has what weir-io prints on stderr, too.
        others = [one for one in stderr if not one.text.startswith("weir-io: ")]
        return with_messages(self._of_document(document), others)

    def requested_by(self, command: str) -> Mapping[str, Any]:
        return parse_command(command)

    def _printed_runs(self, text: str) -> Sequence[Parsed]:
        return printed_runs(text)

    def _of_document(self, document: Mapping[str, Any]) -> Parsed:
        """Trees are the ground that is measured on, not what is measured: they have no rows."""
        parsed = super()._of_document(document)
        return replace(parsed, rows=tuple(row for row in parsed.rows if row["item"] != "tree"))

    def _row(self, row: Row, result: Mapping[str, Any], requested: Mapping[str, Any]) -> Row:
        """An operation on a name moves no bytes and has no open or close of its own."""
        bytes_of = requested.get("read_bytes" if result.get("access") == "read" else "write_bytes")
        more: Row = {
            "item": result.get("item"),
            "directories": requested.get("directories"),
            "requested_ops": result.get("requested_operations"),
            "xfer_bytes": bytes_of if result.get("item") == "file" else 0,
            "open_s": None,
            "close_s": None,
            "file_bytes": None,
        }
        if not result.get("moved_bytes"):
            more |= {"bw_mib_s": None, "moved_bytes": None, "requested_bytes": None}
        seen: dict[str, Any] = {"sync_files": bool(requested.get("sync_file"))}
        seen |= {"entries": result["entries"]} if result.get("entries") else {}
        return row | more | {"observed": row["observed"] | seen}


def _directories(params: Mapping[str, Any]) -> int:
    return sum(int(params["branches"]) ** level for level in range(int(params["depth"]) + 1))


TOOL = Mdtest()
