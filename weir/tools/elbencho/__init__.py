"""elbencho: run by suites as one process of threads, or as a service on each node, all of them on one file.
Its JSON, CSV and tables are imported.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from weir.records.model import Cell, Footprint, Parsed, Row, Target
from weir.tools.base import Habits, Parameter, RunPaths, Tool, footprint_of_jobs, label_of_jobs
from weir.tools.elbencho.parse import LIVE, LOG_START, OUTPUT, parse_results, parse_runs
from weir.tools.outputs import read_texts


class Elbencho(Tool):
    """Workers that write and then read parts of one file."""

    name = "elbencho"
    purpose = "bandwidth"
    programs = (("elbencho",),)
    log_start = LOG_START
    output_pattern = OUTPUT
    other_files = ((LIVE, "live statistics of elbencho, which are no results"),)
    parameters: Mapping[str, Parameter] = {
        "access": Parameter("choices", "What is timed (-w, -r).", ("write", "read"), ("write", "read")),
        "order": Parameter(
            "choice", "Order of the offsets (--rand).", "sequential", ("sequential", "random")
        ),
        "xfer": Parameter("size", "Bytes of one operation (-b).", "1 MiB"),
        "block": Parameter("size", "Bytes of each worker; the file has all of them (-s).", "64 MiB"),
        "jobs": Parameter("count", "Workers, threads of the process on each node (-t).", 1, minimum=1),
        "iodepth": Parameter("count", "Operations in flight of each worker (--iodepth).", 1, minimum=1),
        "direct": Parameter("flag", "Open with O_DIRECT (--direct).", False),
    }

    def label(self, params: Mapping[str, Any]) -> str:
        """The label, such as 'random 4KiB of 64MiB 4 jobs direct'."""
        return label_of_jobs(params)

    def habits(self, row: Row) -> Habits:
        return Habits(sync_apart=True)

    def problems(self, cell: Cell, target: Target) -> Sequence[str]:
        return list(_problems(cell, target))

    def command(self, cell: Cell, target: Target, program: Sequence[str], paths: RunPaths) -> list[str]:
        params = cell.params
        values = {
            "-t": params["jobs"],
            "-b": params["xfer_bytes"],
            "-s": _file_bytes(cell),
            "--iodepth": params["iodepth"],
            "--jsonfile": paths.outputs.resolve() / "summary.json",
        }
        flags = ["--nolive", "--lat"]
        flags += ["--rand"] if params["order"] == "random" else []
        flags += ["--direct"] if params["direct"] else []
        options = [text for name, value in values.items() for text in (name, str(value))]
        # Both accesses of one start share descriptors: nobody could tell their calls apart. A service opens
        # its file for each start, and is one process for all of them.
        starts = [[*program, f"-{access[0]}", *flags, *options] for access in params["access"]]
        if cell.nodes == len(starts) == 1:
            return [*starts[0], paths.data]
        return on_nodes(program, starts, paths.data, cell.nodes, paths.outputs)

    def footprint(self, cell: Cell) -> Footprint:
        return footprint_of_jobs(cell.params, _file_bytes(cell), files=1)

    def parse(self, outputs: Mapping[str, Path]) -> Parsed:
        texts = read_texts(outputs)
        parsed = parse_results("\n".join(texts.get(role, "") for role in ("summary", "stdout", "stderr")))
        return replace(parsed, rows=tuple(_as_run(row) for row in parsed.rows))

    def parse_log(self, text: str) -> Sequence[Parsed]:
        return parse_runs(text) if LOG_START.search(text) else []


def _problems(cell: Cell, target: Target) -> Iterator[str]:
    params = cell.params
    if cell.ppn > 1:
        yield "elbencho starts threads, not ranks: use ppn: 1 and jobs"
    if cell.iterations > 1:
        yield "elbencho measures once: use rounds"
    if target.prefix:
        yield f"elbencho opens files, and the target has the prefix {target.prefix}"
    if target.path.startswith("/dev/"):
        yield f"elbencho takes paths below /dev for devices, such as {target.path}"
    if params["block_bytes"] % params["xfer_bytes"]:
        yield "the block must be a multiple of the transfer"
    if "write" not in params["access"]:
        yield "a read needs the file that the write of the same cell leaves: add write to access"


def _file_bytes(cell: Cell) -> int:
    return int(cell.nodes * cell.params["jobs"] * cell.params["block_bytes"])


def _as_run(row: Row) -> Row:
    """The row of a suite: one process on each node, and each access once."""
    return row | {"nn": row.get("nn") or 1, "ppn": 1, "iteration": 0, "layout": "shared"}


WAIT_S = 60
_SCRIPT = """\
rank=${{OMPI_COMM_WORLD_RANK:-${{PMIX_RANK:-${{PMI_RANK:-${{FLUX_TASK_RANK:-${{SLURM_PROCID:-0}}}}}}}}}}
port=$((20000 + $$ % 10000))
mkdir -p {folder}
printf '%s:%s\\n' "$(hostname)" "$port" > {folder}/"new-$rank"
mv {folder}/"new-$rank" {folder}/"at-$rank"
[ "$rank" -eq 0 ] || exec {program} --service --foreground --port "$port" > {folder}/"log-$rank" 2>&1
{program} --service --foreground --port "$port" > {folder}/log-0 2>&1 &
tries=0
until [ "$(ls {folder} | grep -c '^at-')" -eq {nodes} ]; do
    tries=$((tries + 1))
    [ "$tries" -le {wait_s} ] || {{ echo "ERROR: not all of {nodes} services told their host" >&2; exit 1; }}
    sleep 1
done
hosts=$(cat {folder}/at-* | tr '\\n' ',')
measure() {{
    "$@" --hosts "${{hosts%,}}" --svcwait {wait_s} {path}
}}
{starts}
code=$?
{program} --hosts "${{hosts%,}}" --quit > /dev/null 2>&1
wait
[ "$code" -ne 0 ] || rm -r {folder}
exit "$code"
"""


def on_nodes(
    program: Sequence[str], starts: Sequence[Sequence[str]], path: str, nodes: int, outputs: Path
) -> list[str]:
    """The arguments after a launcher of one rank a node. starts: what measures, one after the other."""
    script = _SCRIPT.format(
        folder=shlex.quote(str(outputs.resolve() / "services")),
        program=shlex.join(program),
        starts=" && ".join(shlex.join(["measure", *start]) for start in starts),
        nodes=nodes,
        wait_s=WAIT_S,
        path=shlex.quote(path),
    )
    return ["sh", "-c", script]


TOOL = Elbencho()
