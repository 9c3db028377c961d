"""netcdf-bench: one 4D variable in NetCDF-4 or CDF-5, on weir-io or on the original benchtool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from weir.terms.model import Cell, Footprint, Parsed, Row, Target
from weir.tools.base import Parameter, RunPaths
from weir.tools.engine import EngineTool, is_engine, read_document, with_messages
from weir.tools.netcdf_bench.geometry import TYPE_BYTES, find_problems, geometry_text, layout_of
from weir.tools.netcdf_bench.table import START, messages_in, parsed_table, starts_in
from weir.tools.outputs import read_texts
from weir.tools.target_files import STRIPE_COUNT, netcdf_name, stripe_terms

_REQUESTED_COLUMNS = ("fill", "unlimited")

PARAMETERS: Mapping[str, Parameter] = {
    "api": Parameter(
        "choice", "NetCDF-4 on HDF5, or classic CDF-5 by PnetCDF.", "NETCDF4", ("NETCDF4", "PNETCDF")
    ),
    "geometry": Parameter("text", "Values t:x:y:z of one rank, or of all (geometry_of).", "100:16:64:4"),
    "geometry_of": Parameter(
        "choice",
        "Whose values geometry counts; rank: the variable has x times the nodes and y times the ppn.",
        "rank",
        ("rank", "all"),
    ),
    "type": Parameter("choice", "Type of the values.", "int", tuple(TYPE_BYTES)),
    "block": Parameter("text", "Values t:x:y:z of one call; auto is one time step of the rank (-b).", "auto"),
    "chunking": Parameter(
        "text", "contiguous, auto (one block of one time step) or the chunk's t:x:y:z (-c).", "contiguous"
    ),
    "layout": Parameter(
        "choice",
        "One file for all ranks, or one for each (-t).",
        "shared",
        ("shared", "file-per-process"),
    ),
    "collective": Parameter("flag", "Collective calls (-t=coll).", False),
    "access": Parameter(
        "choices", "What is timed, in this order (-w, -r).", ("write", "read"), ("write", "read")
    ),
    "fill": Parameter(
        "flag", "Fill the variable before it is written (-F); the cost falls into the open.", False
    ),
    "unlimited": Parameter("flag", "Unlimited time dimension (-u).", False),
    "deflate_level": Parameter("count", "Level of deflate, 0 to 9 (-z); 0 is none.", 0),
    "shuffle": Parameter("flag", "Shuffle the bytes of the values before deflate.", False),
    "values": Parameter(
        "choice",
        "position: random, so that a swapped block is found; block: those of benchtool (weir-io only).",
        "position",
        ("position", "block"),
    ),
    "verify": Parameter("flag", "Compare what was written, in the read if there is one (--verify).", False),
    "sync": Parameter("flag", "Synchronise to storage within the write phase.", True),
    "stonewall": Parameter("seconds", "Stop writing or reading after this time; 0 is never.", 0.0),
    "wear_out": Parameter(
        "flag", "After the stonewall, every rank moves as much as the fastest one did.", False
    ),
    "drop_caches": Parameter(
        "flag",
        "Drop the file's pages from every node's page cache before each read, untimed (weir-io only).",
        False,
    ),
    "hints": Parameter("hints", "MPI-IO hints for the open.", {}),
    "stripe_count": STRIPE_COUNT,
}
# Parameters that benchtool does not have, with the value that requests nothing.
_OURS = {
    "api": "NETCDF4",
    "type": "int",
    "shuffle": False,
    "sync": False,
    "stonewall": 0.0,
    "wear_out": False,
    "drop_caches": False,
    "hints": {},
}
_FLAGS = {"fill": "-F", "unlimited": "-u", "verify": "--verify"}
_OWN_FLAGS = {
    "shuffle": "--shuffle",
    "sync": "--sync",
    "wear_out": "--wear-out",
    "drop_caches": "--drop-caches",
}
_BENCHTOOL_LEAST_BYTES = 1000
_ACCESS = {"write": "-w", "read": "-r"}
_LABEL_FLAGS = ("fill", "unlimited", "shuffle", "verify", "wear_out", "drop_caches")


class NetcdfBench(EngineTool):
    """weir-io netcdf-bench, or benchtool for what both have."""

    name = "netcdf-bench"
    log_start = START
    purpose = "format"
    programs = (("weir-io", "netcdf-bench"), ("benchtool",))
    parameters = PARAMETERS

    def label(self, params: Mapping[str, Any]) -> str:
        """The label, such as 'NETCDF4 shared collective 100:16:64:4 chunks-auto'; defaults are omitted."""
        terms = [params["api"], params["layout"]]
        if params["layout"] == "shared":
            terms.append("collective" if params["collective"] else "independent")
        terms.append(params["geometry"] + ("" if params["geometry_of"] == "rank" else " in all"))
        terms += [params["type"]] if params["type"] != "int" else []
        terms += [f"block-{params['block']}"] if params["block"] != "auto" else []
        terms += [f"chunks-{params['chunking']}"] if params["chunking"] != "contiguous" else []
        terms += [f"deflate-{params['deflate_level']}"] if params["deflate_level"] else []
        if tuple(params["access"]) != ("write", "read"):
            terms.append("+".join(params["access"]))
        terms += [flag.replace("_", "-") for flag in _LABEL_FLAGS if params[flag]]
        terms += ["values-by-block"] if params["values"] == "block" else []
        terms += [] if params["sync"] else ["no-sync"]
        terms += [f"stonewall-{params['stonewall']:g}s"] if params["stonewall"] else []
        terms += [f"{key}={value}" for key, value in sorted(params["hints"].items())]
        terms += stripe_terms(params)
        return " ".join(terms)

    def problems(self, cell: Cell, target: Target) -> Sequence[str]:
        return find_problems(cell, target)

    def command(self, cell: Cell, target: Target, program: Sequence[str], paths: RunPaths) -> list[str]:
        """One line that benchtool takes too, as long as the cell asks for nothing that it lacks."""
        params, layout = cell.params, layout_of(cell.params, cell.nodes, cell.ppn)
        arguments = [*program, f"-n={cell.nodes}", f"-p={cell.ppn}", f"-d={geometry_text(layout.data)}"]
        arguments += [f"-b={geometry_text(layout.block)}"]
        arguments += [f"-c={params['chunking']}"] if params["chunking"] != "contiguous" else []
        arguments += [f"-t={_io_type(params)}"]
        arguments += [_ACCESS[access] for access in params["access"]]
        arguments += [option for flag, option in _FLAGS.items() if params[flag]]
        arguments += [f"-z={params['deflate_level']}"] if params["deflate_level"] else []
        arguments += _own_options(cell, paths) if is_engine(program) else []
        return [*arguments, f"-f={netcdf_name(paths.data)}"]

    def unsupported(self, cell: Cell, program: Sequence[str]) -> str | None:
        return None if is_engine(program) else _what_benchtool_lacks(cell)

    def comparable(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """Values and calls of benchtool, which does not synchronise; random values take time of their own."""
        return {**super().comparable(params), "sync": False, "values": "block"}

    def measures_alike(self, params: Mapping[str, Any]) -> bool:
        return not params["sync"] and params["values"] == "block"

    def footprint(self, cell: Cell) -> Footprint:
        """The most it can cost: a stonewall, and deflate, only make it less."""
        params, layout = cell.params, layout_of(cell.params, cell.nodes, cell.ppn)
        writes, reads = (cell.iterations * (access in params["access"]) for access in ("write", "read"))
        compares = params["deflate_level"] or (params["verify"] and not reads)
        reads_back = writes if compares else 0
        return Footprint(
            written_bytes=layout.data_bytes * writes * (2 if params["fill"] else 1),
            read_bytes=layout.data_bytes * (reads + reads_back),
            peak_bytes=layout.data_bytes,
            inodes=cell.ranks if params["layout"] == "file-per-process" else 1,
            operations=cell.ranks * layout.blocks_per_rank * (writes + reads + reads_back),
        )

    def parse(self, outputs: Mapping[str, Path]) -> Parsed:
        """Each of summary, stdout and stderr may be missing or cut."""
        texts = read_texts(outputs)
        stdout, stderr = texts.get("stdout", ""), messages_in(texts.get("stderr", ""))
        document = read_document(texts.get("summary", ""))
        if document is None:
            return with_messages(parsed_table(stdout), stderr)
        return with_messages(self._of_document(document), [*messages_in(stdout), *stderr])

    def _printed_runs(self, text: str) -> Sequence[Parsed]:
        starts = starts_in(text)
        # Messages of ranks before the first line of their own run belong to it.
        places = pairwise([0, *starts[1:], len(text)]) if starts else ()
        return [parsed_table(text[begin:end]) for begin, end in places]

    def _row(self, row: Row, result: Mapping[str, Any], requested: Mapping[str, Any]) -> Row:
        stored = result.get("stored") or {}
        more = {name: requested.get(name) for name in _REQUESTED_COLUMNS}
        more |= {"chunking": stored.get("chunk"), "deflate_level": stored.get("deflate_level")}
        row["observed"]["shuffle"] = stored.get("shuffle")
        return row | more


def _io_type(params: Mapping[str, Any]) -> str:
    if params["layout"] == "file-per-process":
        return "file-per-process"
    return "coll" if params["collective"] else "ind"


def _own_options(cell: Cell, paths: RunPaths) -> list[str]:
    params = cell.params
    arguments = [
        f"--format={'cdf5' if params['api'] == 'PNETCDF' else 'netcdf4'}",
        f"--type={params['type']}",
    ]
    arguments += [f"--iterations={cell.iterations}", f"--values={params['values']}"]
    arguments += [option for flag, option in _OWN_FLAGS.items() if params[flag]]
    arguments += [f"--stonewall={params['stonewall']:g}"] if params["stonewall"] else []
    arguments += [f"--hint={key}={value}" for key, value in sorted(params["hints"].items())]
    return [*arguments, f"--json={paths.outputs / 'summary.json'}"]


def _what_benchtool_lacks(cell: Cell) -> str | None:
    """benchtool never ends when it does not know an option, or has to print a size below 1000 bytes."""
    lacks = [
        f"{name} {_option_text(cell.params[name])}"
        for name, value in _OURS.items()
        if cell.params[name] != value
    ]
    lacks += ["several iterations"] if cell.iterations > 1 else []
    block_bytes = layout_of(cell.params, cell.nodes, cell.ppn).block_bytes
    lacks += [f"a block of {block_bytes} bytes"] if block_bytes < _BENCHTOOL_LEAST_BYTES else []
    return f"benchtool does not have {', '.join(lacks)}" if lacks else None


def _option_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


TOOL = NetcdfBench()
