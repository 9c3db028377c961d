"""The tool: which cells are valid, the command line of a cell, its cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weir.base.units import format_size
from weir.terms.model import Cell, Footprint, Parsed, Target
from weir.tools.base import Parameter, RunPaths
from weir.tools.engine import EngineTool, is_engine
from weir.tools.mdtest.parse import parse_log, parse_outputs
from weir.tools.mdtest.problems import find_problems
from weir.tools.mdtest.table import START

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
        return find_problems(cell, target)

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
        return parse_outputs(outputs)

    def parse_log(self, text: str) -> Sequence[Parsed]:
        """The runs in a log that somebody kept, for weir import."""
        return parse_log(text)


def _directories(params: Mapping[str, Any]) -> int:
    return sum(int(params["branches"]) ** level for level in range(int(params["depth"]) + 1))
