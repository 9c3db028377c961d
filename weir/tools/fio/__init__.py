"""fio: run by suites as one process whose jobs are threads of it; its JSON and JSON+ outputs are imported."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from weir.records.model import Cell, Footprint, Parsed, Row, Target
from weir.tools.base import Parameter, RunPaths, Tool, footprint_of_jobs, label_of_jobs
from weir.tools.fio.parse import (
    ENGINE,
    JOB_FILE,
    LOG_START,
    NO_STORAGE,
    OUTPUT,
    bins_us,
    documents,
    failed_jobs,
    parse_document,
)
from weir.tools.fio.reports import ACCESS, GROUP, START, TABLE
from weir.tools.fio.table import parse_table
from weir.tools.fio.terse import terse_results
from weir.tools.outputs import read_texts

_ENGINES: Mapping[str, str] = {"POSIX": "psync", "URING": "io_uring", "MMAP": "mmap"}
# A suite has one process on one node, each job with a file of its own, and each access once.
_OF_A_RUN: Row = {"nn": 1, "ppn": 1, "iteration": 0, "layout": None}
_NOTHING = Parsed((), {}, (), "", "", complete=False)


class Fio(Tool):
    """Jobs that write and then read files of their own."""

    name = "fio"
    purpose = "bandwidth"
    programs = (("fio",),)
    log_start = re.compile(f"(?:{LOG_START.pattern})|(?:{START.pattern})", re.MULTILINE)
    output_pattern = OUTPUT
    other_files = ((JOB_FILE, "a job file of fio"),)
    parameters: Mapping[str, Parameter] = {
        "api": Parameter("choice", "Interface to the storage (ioengine).", "POSIX", tuple(_ENGINES)),
        "access": Parameter("choices", "What is timed.", ("write", "read"), ("write", "read")),
        "order": Parameter("choice", "Order of the offsets (rw).", "sequential", ("sequential", "random")),
        "xfer": Parameter("size", "Bytes of one operation (bs).", "1 MiB"),
        "block": Parameter("size", "Bytes of each job (size).", "64 MiB"),
        "jobs": Parameter("count", "Jobs, each with a file of its own (numjobs).", 1, minimum=1),
        "iodepth": Parameter("count", "Operations in flight of each job; above 1 with URING.", 1, minimum=1),
        "direct": Parameter("flag", "Open with O_DIRECT.", False),
        "sync": Parameter("flag", "Synchronise each file after it is written (end_fsync).", True),
    }

    def label(self, params: Mapping[str, Any]) -> str:
        """The label, such as 'POSIX random 4KiB of 64MiB 4 jobs'."""
        return f"{params['api']} {label_of_jobs(params)}"

    def problems(self, cell: Cell, target: Target) -> Sequence[str]:
        return list(_problems(cell, target))

    def command(self, cell: Cell, target: Target, program: Sequence[str], paths: RunPaths) -> list[str]:
        params = cell.params
        shared = {
            "ioengine": _ENGINES[params["api"]],
            "bs": params["xfer_bytes"],
            "size": params["block_bytes"],
            "numjobs": params["jobs"],
            "iodepth": params["iodepth"],
            "direct": int(params["direct"]),
            "filename_format": f"{paths.data}.$jobnum",
            "refill_buffers": 1,
            "group_reporting": 1,
            "output-format": "json+",
            "output": paths.outputs / "summary.json",
        }
        arguments = [f"--{name}={value}" for name, value in shared.items()] + ["--thread"]
        for access in params["access"]:
            kind = access if params["order"] == "sequential" else f"rand{access}"
            arguments += [f"--name={access}", "--stonewall", f"--rw={kind}"]
            arguments += [f"--end_fsync={int(params['sync'])}"] if access == "write" else []
        return [*program, *arguments]

    def footprint(self, cell: Cell) -> Footprint:
        jobs = cell.params["jobs"]
        return footprint_of_jobs(cell.params, jobs * cell.params["block_bytes"], files=jobs)

    def parse(self, outputs: Mapping[str, Path]) -> Parsed:
        texts = read_texts(outputs)
        for text in (texts.get("summary", ""), texts.get("stdout", "")):
            for document in documents(text):
                parsed = parse_document(document)
                return replace(parsed, rows=tuple(row | _OF_A_RUN for row in parsed.rows))
        return _NOTHING

    def parse_log(self, text: str) -> Sequence[Parsed]:
        found = []
        for document in documents(text):
            parsed = parse_document(document)
            found.append(parsed if parsed.rows else replace(parsed, rows=failed_jobs(document)))
        if not found and any(one.search(text) for one in (TABLE, ACCESS, GROUP)):
            return [parse_table(text)]
        found = found or list(terse_results(text))
        if not found and LOG_START.search(text):  # a document that was cut
            return [replace(_NOTHING, program="fio")]
        return found

    def without_storage(self, text: str) -> str:
        engines = set(ENGINE.findall(text)) if OUTPUT.search(text) else set()
        idle = bool(engines) and engines.issubset(NO_STORAGE)
        return f"output of fio without storage (ioengine {', '.join(sorted(engines))})" if idle else ""

    def latencies(self, outputs: Mapping[str, Path]) -> Iterable[Row]:
        for document in documents(read_texts(outputs).get("summary", "")):
            for job in document["jobs"]:
                for access in ("write", "read"):
                    for upper_us, count in bins_us(job, access):
                        yield {"access": access, "iteration": 0, "upper_us": upper_us, "count": count}


def _problems(cell: Cell, target: Target) -> Iterator[str]:
    params = cell.params
    if cell.ranks > 1:
        yield "fio starts jobs, not ranks: use nodes: 1, ppn: 1 and jobs"
    if cell.iterations > 1:
        yield "fio measures once: use rounds"
    if target.prefix:
        yield f"fio opens files, and the target has the prefix {target.prefix}"
    if params["block_bytes"] % params["xfer_bytes"]:
        yield "the block must be a multiple of the transfer"
    if params["iodepth"] > 1 and params["api"] != "URING":
        yield "only URING has more than one operation in flight"
    if params["direct"] and params["api"] == "MMAP":
        yield "a mapping takes no O_DIRECT"


TOOL = Fio()
