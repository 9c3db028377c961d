"""netcdf-bench: one 4D variable in NetCDF-4 or CDF-5, on weir-io or on the original benchtool.

benchtool prints a table, mixed with lines of the ranks and of libraries that fail. A row of the table has the
least, the mean and the greatest of the ranks; the record takes the slowest rank. benchtool prints no total
time: it is the data size over the least bandwidth. benchtool always divides the whole data size, also where
its blocks are smaller than what the ranks have.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any

from weir.base.units import as_written
from weir.records.model import Cell, Footprint, Message, Parsed, Row, Target
from weir.records.printed_values import real_or_text, whole
from weir.tools.base import Parameter, RunPaths
from weir.tools.complaints import complaint, without_repeats
from weir.tools.engine import EngineTool, is_engine, read_document, with_messages
from weir.tools.netcdf_bench.geometry import TYPE_BYTES, Shape, find_problems, geometry_text, layout_of
from weir.tools.outputs import read_texts
from weir.tools.target_files import STRIPE_COUNT, netcdf_name, stripe_terms

_MIB = 2**20
_START = re.compile(
    r"^(?:Benchtool|weir-io (?P<version>\S+) netcdf-bench: .*?) ?\((?:datatype): (?P<type>\w+)", re.M
)
_RANK = re.compile(r"(?<!\d)(\d+) pretents to be (\d+) on file (\S+)")
_SHAPE = re.compile(
    r"^(Data|Block|Chunk) geometry \(t:x:y:z x sizeof\(type\)\)\s+(\d+):(\d+):(\d+):(\d+) x (\d+) bytes", re.M
)
_FACT = re.compile(r"^(I/O Access|Storage|File length|Fill value|File value) +(\w+)$", re.M)
_NUMBER = r"(\d+\.\d{10})"
_ROW = re.compile(
    rf"benchmark:(?P<access>write|read) +(?P<what>Open time|I/O time|Close time|I/O Performance)"
    rf"(?P<pure> \(w/o open/close\))? +{_NUMBER} +{_NUMBER} +{_NUMBER} (?:secs|MiB/s)"
)
_DIFFERENCE = re.compile(r"^ERROR \S+ \(read\) != \S+ \(expected\)", re.M)
_FAILED = re.compile(r"^(Error in .*|Error (?:option|invalid argument).*|Invalid options.*)$")
_VERDICT = re.compile(r"^TEST (PASSED|FAILED) \[\d+\]", re.M)
_TIMES = {"Open time": "open_s", "I/O time": "io_s", "Close time": "close_s"}
_REQUESTED_COLUMNS = ("fill", "unlimited")
_TABLE_COLUMNS = ("layout", "collective", *_REQUESTED_COLUMNS)

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
        "choice", "One file for all ranks, or one for each (-t).", "shared", ("shared", "file-per-process")
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
    log_start = _START
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
        stdout, stderr = texts.get("stdout", ""), _messages_in(texts.get("stderr", ""))
        document = read_document(texts.get("summary", ""))
        if document is None:
            return with_messages(_parsed_table(stdout), stderr)
        return with_messages(self._of_document(document), [*_messages_in(stdout), *stderr])

    def _printed_runs(self, text: str) -> Sequence[Parsed]:
        starts = [match.start() for match in _START.finditer(text)]
        # Messages of ranks before the first line of their own run belong to it.
        places = pairwise([0, *starts[1:], len(text)]) if starts else ()
        return [_parsed_table(text[begin:end]) for begin, end in places]

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
    differ = {name: cell.params[name] for name, value in _OURS.items() if cell.params[name] != value}
    lacks = [f"{name} {as_written(value)}" for name, value in differ.items()]
    lacks += ["several iterations"] if cell.iterations > 1 else []
    block_bytes = layout_of(cell.params, cell.nodes, cell.ppn).block_bytes
    lacks += [f"a block of {block_bytes} bytes"] if block_bytes < _BENCHTOOL_LEAST_BYTES else []
    return f"benchtool does not have {', '.join(lacks)}" if lacks else None


def _messages_in(text: str) -> list[Message]:
    """Complaints of benchtool, the libraries and the launcher."""
    found = []
    for line in text.splitlines():
        failed = _FAILED.match(line)
        message = Message("error", failed[1]) if failed else complaint(line)
        if message is not None:
            found.append(message)
    different = len(_DIFFERENCE.findall(text))
    if different:
        found.append(Message("error", f"Incorrect data on read ({different} values differ)"))
    elif "TEST FAILED" in text:
        found.append(Message("error", "Incorrect data on read (TEST FAILED)"))
    return without_repeats(found)


def _parsed_table(text: str) -> Parsed:
    """One execution. It has no last line: whole is what has all rows of its tables and no error."""
    whole = text if text.endswith("\n") else text[: text.rfind("\n") + 1]
    start = _START.search(whole)
    if start is None:
        return Parsed((), {}, tuple(_messages_in(whole)), program="", tool_version="", complete=False)
    requested = _requested(whole, start["type"])
    rows, halves = _rows(whole, requested)
    messages = tuple(_messages_in(whole))
    results = bool(rows) or _VERDICT.search(whole) is not None
    return Parsed(
        rows=tuple(rows),
        requested=requested,
        messages=messages,
        program="weir-io" if start["version"] else "benchtool",
        tool_version=start["version"] or "",
        complete=results and not halves and not any(message.level == "error" for message in messages),
    )


def _requested(text: str, type_name: str) -> dict[str, Any]:
    requested: dict[str, Any] = {"type": type_name}
    for name, *numbers in _SHAPE.findall(text):
        values = [whole(number) for number in numbers]
        if all(values):
            requested[f"{name.lower()}_shape"] = tuple(values[:4])
            requested["value_bytes"] = values[4]
    facts = dict(_FACT.findall(text))
    requested |= {
        key: facts[name] == word
        for name, key, word in (
            ("I/O Access", "collective", "collective"),
            ("File length", "unlimited", "unlimited"),
            ("Fill value", "fill", "yes"),
            ("File value", "fill", "yes"),
        )
        if name in facts
    }
    ranks = [whole(rank) or 0 for rank, _, _ in _RANK.findall(text)]
    files = {file for _, _, file in _RANK.findall(text)}
    if ranks:
        requested["tasks"] = max(ranks) + 1
    if len(files) > 1 or requested.get("tasks", 1) > 1:
        requested["layout"] = "file-per-process" if len(files) > 1 else "shared"
    return requested


def _rows(text: str, requested: Mapping[str, Any]) -> tuple[list[Row], bool]:
    """Rows of the tables that are whole, and whether there is one that is not."""
    tables: dict[str, dict[str, float | str]] = {}
    for match in _ROW.finditer(text):
        least, greatest = real_or_text(match[4]), real_or_text(match[6])
        table = tables.setdefault(match["access"], {})
        if match["what"] in _TIMES:
            table[_TIMES[match["what"]]] = greatest
        elif not match["pure"]:
            table["bw_mib_s"] = least
    complete = {access: table for access, table in tables.items() if len(table) == len(_TIMES) + 1}
    return [_row(access, table, requested) for access, table in complete.items()], len(complete) < len(tables)


def _row(access: str, table: Mapping[str, float | str], requested: Mapping[str, Any]) -> Row:
    data: Shape | None = requested.get("data_shape")
    block: Shape | None = requested.get("block_shape")
    value_bytes: int = requested.get("value_bytes", 0)
    data_bytes = prod(data) * value_bytes if data else None
    block_bytes = prod(block) * value_bytes if block else None
    tasks: int | None = requested.get("tasks")
    # Each rank moves one block for each time step of blocks, whatever else the data has.
    moved = tasks * (data[0] // block[0]) * block_bytes if tasks and data and block and block_bytes else None
    bw_mib_s = table["bw_mib_s"]
    row: Row = {
        "api": "NETCDF4",
        "access": access,
        "iteration": 0,
        "order": "sequential",
        "xfer_bytes": block_bytes,
        "block_bytes": block_bytes,
        "stonewall_s": 0.0,
        **{name: requested.get(name) for name in _TABLE_COLUMNS},
        "sync": False,
        "direct": False,
        "chunking": _chunking(requested),
        "deflate_level": None,  # it does not print it
        "requested_bytes": data_bytes,
        "moved_bytes": moved,
    }
    row |= dict(table)
    if data_bytes and isinstance(bw_mib_s, float) and bw_mib_s > 0:
        row["total_s"] = data_bytes / _MIB / bw_mib_s
    row["observed"] = {"tasks": tasks} if tasks else {}
    return row


def _chunking(requested: Mapping[str, Any]) -> str | None:
    if "chunk_shape" in requested:
        return ":".join(map(str, requested["chunk_shape"]))
    # An unlimited variable has chunks of the library's choice, which benchtool calls contiguous.
    return "contiguous" if requested.get("unlimited") is False else None


TOOL = NetcdfBench()
