"""find: a walk by all ranks over a tree made for it, on weir-io; logs of IO500's pfind are read too."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from weir.base.units import format_size
from weir.records.model import Cell, Footprint, Parsed, Row, Target
from weir.records.printed_values import real, whole
from weir.tools.base import Parameter, RunPaths
from weir.tools.engine import EngineOnlyTool

PARAMETERS: Mapping[str, Parameter] = {
    "api": Parameter("choice", "Interface to the storage.", "POSIX", ("POSIX",)),
    "item": Parameter("choice", "What is looked for.", "file", ("file",)),
    "access": Parameter("choices", "What is timed.", ("find",), ("find",)),
    "files_per_rank": Parameter("count", "Files that each rank makes before the walk.", 1000, minimum=1),
    "directories_per_rank": Parameter("count", "Directories in which it makes them.", 1, minimum=1),
    "xfer": Parameter("size", "Bytes of each file.", "3901 B"),
    "pattern": Parameter("text", "Pattern of the names to find (find -name).", "*01*"),
    "by_size": Parameter(
        "flag", "Look at each file whose name fits, for its size (find -size); else names suffice.", True
    ),
}
# The walk moves no bytes and opens nothing but directories.
_OF_FILES = (
    "bw_mib_s",
    "moved_bytes",
    "requested_bytes",
    "file_bytes",
    "open_s",
    "close_s",
    "sync",
    "direct",
)
_MATCHED = re.compile(r"^MATCHED (\d+)/(\d+)$", re.MULTILINE)
_DONE = re.compile(
    r"^\[DONE\](?: rate: [\d.]+ kiops time: ([\d.]+)s)? found: (\d+) \(scanned (\d+) files", re.MULTILINE
)


class Find(EngineOnlyTool):
    """A find by all ranks together."""

    name = "find"
    purpose = "search"
    programs = (("weir-io", "find"),)
    parameters = PARAMETERS

    def label(self, params: Mapping[str, Any]) -> str:
        """The label, such as '1000 files 3901B in 10 directories *01*'."""
        size = format_size(params["xfer_bytes"]).replace(" ", "")
        terms = [f"{params['files_per_rank']} files {size}"]
        if params["directories_per_rank"] > 1:
            terms.append(f"in {params['directories_per_rank']} directories")
        return " ".join([*terms, params["pattern"], *([] if params["by_size"] else ["names-only"])])

    def problems(self, cell: Cell, target: Target) -> Sequence[str]:
        return list(_problems(cell, target))

    def command(self, cell: Cell, target: Target, program: Sequence[str], paths: RunPaths) -> list[str]:
        params = cell.params
        arguments = [*program, paths.data, "-C", "-name", params["pattern"]]
        arguments += ["-size", f"{params['xfer_bytes']}c"] if params["by_size"] else []
        arguments += [f"--make-files={params['files_per_rank']}"]
        arguments += [f"--make-directories={params['directories_per_rank']}"]
        arguments += [f"--make-bytes={params['xfer_bytes']}"]
        return [*arguments, f"--json={paths.outputs / 'summary.json'}"]

    def footprint(self, cell: Cell) -> Footprint:
        params = cell.params
        files = cell.ranks * params["files_per_rank"]
        return Footprint(
            written_bytes=files * params["xfer_bytes"],
            read_bytes=0,
            peak_bytes=files * params["xfer_bytes"],
            inodes=files + cell.ranks * params["directories_per_rank"] + 1,
            operations=2 * files,
        )

    def _printed_result(self, text: str) -> Parsed:
        return _of_pfind(text)

    def _printed_runs(self, text: str) -> Sequence[Parsed]:
        return [_of_pfind(text)] if _DONE.search(text) else []

    def _row(self, row: Row, result: Mapping[str, Any], requested: Mapping[str, Any]) -> Row:
        size = requested.get("make_bytes") if requested.get("make_files") else None
        more = {"item": "file", "requested_ops": result.get("requested_operations"), "xfer_bytes": size}
        row["observed"]["found"] = result.get("found")
        return row | more | dict.fromkeys(_OF_FILES)


def _problems(cell: Cell, target: Target) -> Iterator[str]:
    params = cell.params
    if cell.iterations > 1:
        yield "a find has one iteration a run, as it makes its tree once: repeat it in rounds"
    if params["directories_per_rank"] > params["files_per_rank"]:
        yield f"{params['files_per_rank']} files cannot be in {params['directories_per_rank']} directories"
    if target.prefix:
        yield f"the walk needs a path of the operating system; {target.name} has the prefix {target.prefix}"


def _of_pfind(text: str) -> Parsed:
    """Files scanned over the time, if it was printed (-D rates): a tenth of a second is all it tells."""
    done, matched = _DONE.search(text), _MATCHED.search(text)
    rows: list[Row] = []
    seconds, scanned = (real(done[1]), whole(done[3])) if done else (None, None)
    if done and seconds and scanned is not None:
        row: Row = {"api": "POSIX", "access": "find", "item": "file", "iteration": 0, "ops": scanned}
        rate = re.search(r"rate: ([\d.]+) kiops", done[0])
        row |= {"io_s": seconds, "ops_s": 1000 * (real(rate[1]) or 0.0) if rate else None}
        rows.append(row | {"observed": {"found": whole(done[2])}})
    return Parsed(tuple(rows), {}, (), "pfind" if done else "", "", matched is not None)


TOOL = Find()
