"""madbench: the out-of-core matrices of MADbench2 in its I/O mode, on weir-io."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from weir.base.units import format_size
from weir.records.model import Cell, Footprint, Row, Target
from weir.tools.base import Parameter, RunPaths
from weir.tools.engine import EngineOnlyTool
from weir.tools.target_files import STRIPE_COUNT, reach_problems, stripe_problems, stripe_terms

ACCESSES = ("write", "update-read", "update-write", "read")
_ELEMENT_BYTES = 8
_BUSY_MAX = 2.0


def part_bytes_of(cell: Cell) -> int:
    """A rank's part of a matrix."""
    elements: int = cell.params["pixels"] ** 2
    return elements // cell.ranks * _ELEMENT_BYTES


def slot_bytes_of(cell: Cell) -> int:
    """The room that a part has in the file."""
    align_bytes: int = cell.params["align_bytes"]
    return -(-part_bytes_of(cell) // align_bytes) * align_bytes


def _geometry(cell: Cell) -> Iterator[str]:
    params, ranks = cell.params, cell.ranks
    if params["pixels"] ** 2 % ranks:
        near = -(-params["pixels"] // ranks) * ranks
        yield f"{params['pixels']} x {params['pixels']} elements for {ranks} ranks: try pixels: {near}"
    if ranks % params["gangs"] or params["bins"] % params["gangs"]:
        yield f"{ranks} ranks and {params['bins']} bins must be multiples of the {params['gangs']} gangs"
    for name, size_bytes in (("call", params["call_bytes"]), ("align", params["align_bytes"])):
        if size_bytes % _ELEMENT_BYTES and not (name == "align" and size_bytes == 1):
            yield f"{name} {format_size(size_bytes)} is not a multiple of {_ELEMENT_BYTES} bytes"


def _phase_problems(cell: Cell) -> Iterator[str]:
    access = set(cell.params["access"])
    if "write" not in access:
        yield "what is read must be written first: access needs write"
    if len(access & {"update-read", "update-write"}) == 1:
        yield "update-read and update-write are one phase: give both or none"
    if cell.params["gangs"] > 1 and "update-write" not in access:
        yield "gangs begin with the update: access needs update-read and update-write"
    if cell.params["verify"] and access == {"write"}:
        yield "verify needs an access that reads"


def _requests(cell: Cell) -> Iterator[str]:
    params = cell.params
    try:
        busy = float(params["busy"])
    except ValueError:
        yield f"busy '{params['busy']}' is not a number"
    else:
        if not 0 <= busy <= _BUSY_MAX:
            yield f"busy is 0 to {_BUSY_MAX:g}, not {busy:g}"
    if params["drop_caches"] and set(params["access"]) == {"write"}:
        yield "drop_caches acts before an access that reads"
    if params["drop_caches"] and params["api"] == "NULL":
        yield "NULL stores nothing that could be cached"
    if params["verify"] and params["api"] == "NULL":
        yield "NULL stores nothing that could be compared"


PARAMETERS: Mapping[str, Parameter] = {
    "api": Parameter("choice", "Interface (IOMETHOD).", "POSIX", ("POSIX", "MPIIO", "IME", "NULL")),
    "layout": Parameter(
        "choice", "One file, or one for each rank (FILETYPE).", "shared", ("shared", "file-per-process")
    ),
    "pixels": Parameter(
        "count", "Matrices of pixels x pixels doubles, shared out to all ranks (NO_PIX).", 1000, minimum=1
    ),
    "bins": Parameter("count", "Matrices (NO_BIN).", 8, minimum=1),
    "gangs": Parameter(
        "count",
        "Parts of the ranks, each of which has matrices to itself in W and C (NO_GANG).",
        1,
        minimum=1,
    ),
    "access": Parameter(
        "choices", "Phases: S is the write, W update-read and update-write, C the read.", ACCESSES, ACCESSES
    ),
    "call": Parameter("size", "The most that one call moves; 0 is a rank's part of a matrix.", 0),
    "align": Parameter("size", "Each part starts at a multiple of it (FBLOCKSIZE).", "1 B", minimum=1),
    "read_mod": Parameter("count", "Of so many neighbouring ranks one reads at a time (RMOD).", 1, minimum=1),
    "write_mod": Parameter(
        "count", "Of so many neighbouring ranks one writes at a time (WMOD).", 1, minimum=1
    ),
    "busy": Parameter("text", "Exponent of the busy-work between transfers, 0 to 2; 0 is none (BWEXP).", "0"),
    "drop_caches": Parameter(
        "flag", "Before W and C, untimed: write back and drop the files' pages on every node.", False
    ),
    "sync": Parameter("flag", "Synchronise to storage at the end of S and W.", True),
    "verify": Parameter("flag", "Compare every byte that W and C read, untimed.", False),
    "stripe_count": STRIPE_COUNT,
}
_LETTERS = {"write": "S", "update-read": "W", "update-write": "W", "read": "C"}


class Madbench(EngineOnlyTool):
    """weir-io madbench."""

    name = "madbench"
    purpose = "application"
    programs = (("weir-io", "madbench"),)
    parameters = PARAMETERS

    def label(self, params: Mapping[str, Any]) -> str:
        """The label, such as 'POSIX shared 1000 pixels x 8 bins'; defaults are omitted."""
        terms = [params["api"], params["layout"], f"{params['pixels']} pixels x {params['bins']} bins"]
        terms += [f"{params['gangs']} gangs"] if params["gangs"] > 1 else []
        terms += [_phases(params)] if _phases(params) != "SWC" else []
        terms += [format_size(params["call_bytes"])] if params["call_bytes"] else []
        terms += [f"align-{format_size(params['align_bytes'])}"] if params["align_bytes"] != 1 else []
        terms += [f"{name}-{params[name]}" for name in ("read_mod", "write_mod") if params[name] > 1]
        terms += [f"busy-{params['busy']}"] if params["busy"] != "0" else []
        terms += [name.replace("_", "-") for name in ("drop_caches", "verify") if params[name]]
        terms += [] if params["sync"] else ["no-sync"]
        terms += stripe_terms(params)
        return " ".join(terms)

    def problems(self, cell: Cell, target: Target) -> Sequence[str]:
        own = (*_geometry(cell), *_phase_problems(cell), *_requests(cell))
        return [*own, *reach_problems(cell.params["api"], target), *stripe_problems(cell, target)]

    def command(self, cell: Cell, target: Target, program: Sequence[str], paths: RunPaths) -> list[str]:
        params = cell.params
        arguments = [*program, "-a", params["api"], "-p", str(params["pixels"]), "-b", str(params["bins"])]
        arguments += ["-g", str(params["gangs"]), "--phases", _phases(params), "-i", str(cell.iterations)]
        arguments += ["--block", str(params["align_bytes"])]
        arguments += ["--rmod", str(params["read_mod"]), "--wmod", str(params["write_mod"])]
        arguments += ["-t", str(params["call_bytes"])] if params["call_bytes"] else []
        arguments += ["-F"] if params["layout"] == "file-per-process" else []
        arguments += ["--busy", params["busy"]] if params["busy"] != "0" else []
        arguments += ["-e"] if params["sync"] else []
        arguments += ["--drop-caches"] if params["drop_caches"] else []
        arguments += ["--verify"] if params["verify"] else []
        return [*arguments, "--json", str(paths.outputs / "summary.json"), "-o", paths.data]

    def footprint(self, cell: Cell) -> Footprint:
        params = cell.params
        all_bytes = part_bytes_of(cell) * cell.ranks * params["bins"]
        writes, reads = (
            cell.iterations * len([one for one in params["access"] if one in some])
            for some in (("write", "update-write"), ("update-read", "read"))
        )
        most = params["call_bytes"] or part_bytes_of(cell)
        calls = -(-part_bytes_of(cell) // most) * cell.ranks * params["bins"]
        return Footprint(
            written_bytes=all_bytes * writes,
            read_bytes=all_bytes * reads,
            peak_bytes=slot_bytes_of(cell) * cell.ranks * params["bins"],
            inodes=cell.ranks if params["layout"] == "file-per-process" else 1,
            operations=calls * (writes + reads),
        )

    def _row(self, row: Row, result: Mapping[str, Any], requested: Mapping[str, Any]) -> Row:
        row["observed"] |= {name: result.get(name) for name in ("phase", "elapsed_s", "busy_s")}
        # Between the parts there may be room: the file is larger than what was moved.
        row["observed"]["scattered"] = requested.get("slot_bytes") != requested.get("block_bytes")
        return row | ({"sync": None} if row["access"] in ("update-read", "read") else {})


def _phases(params: Mapping[str, Any]) -> str:
    letters = {_LETTERS[access] for access in params["access"]}
    return "".join(letter for letter in "SWC" if letter in letters)


TOOL = Madbench()
