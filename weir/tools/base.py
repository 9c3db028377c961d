"""The interface of a tool: every hook that the rest of weir calls, declared in one class.

A tool is a directory, weir/tools/<tool>/, whose __init__.py defines TOOL, an object of a class derived from
Tool, or from LogTool where weir reads results and starts nothing. Nothing outside that directory names the
tool. Its own audit rules stand in weir/tools/<tool>/rules.py, written as those in weir/audit/rules are; the
file is optional.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from weir.base.units import format_size
from weir.records.model import Cell, Footprint, Parsed, Row, Target

# Purposes of tools: figures, tables and claims select records by the column purpose, not by the name of a
# tool.
PURPOSES: Mapping[str, str] = {
    "bandwidth": "bytes per second of an interface, a layout and an order of transfers",
    "format": "bytes per second through a library of a file format",
    "metadata": "operations per second on files and directories",
    "search": "files looked at per second by a walk over a tree",
    "latency": "times of single operations",
    "application": "phases of an application, which computes between them",
}


UNKNOWN_ACCESS = "unknown"  # a row has it where an output does not tell what was timed


@dataclass(frozen=True)
class Parameter:
    """One key that a suite may give the tool.

    kind: size ("16 KiB", becomes <name>_bytes), count (integer), number, seconds, flag (bool), choice (one
    of choices), choices (a list of them), text, hints (mapping of text to text).
    """

    kind: str
    help: str
    default: Any = None
    choices: tuple[str, ...] = ()
    minimum: int = 0


def label_of_jobs(params: Mapping[str, Any]) -> str:
    """The label of programs whose workers are threads of one process: 'random 4KiB of 64MiB 4 jobs
    direct'."""
    sizes = [format_size(params[name]).replace(" ", "") for name in ("xfer_bytes", "block_bytes")]
    terms = [params["order"], " of ".join(sizes)]
    terms += [f"{params['jobs']} jobs"] if params["jobs"] > 1 else []
    terms += [f"depth {params['iodepth']}"] if params["iodepth"] > 1 else []
    terms += ["direct"] if params["direct"] else []
    return " ".join(terms)


def footprint_of_jobs(params: Mapping[str, Any], size_bytes: int, files: int) -> Footprint:
    """The footprint of such a program; a read alone lays its files out before."""
    accesses = params["access"]
    return Footprint(
        written_bytes=size_bytes,
        read_bytes=size_bytes if "read" in accesses else 0,
        peak_bytes=size_bytes,
        inodes=files,
        operations=len(accesses) * size_bytes // params["xfer_bytes"],
    )


@dataclass(frozen=True)
class RunPaths:
    """The paths of one execution: data on the target, outputs in the results."""

    data: str  # the file or directory on the target, prefix included
    outputs: Path  # folder of this run; summary files go here, never to the target


@dataclass(frozen=True)
class Habits:
    """Known behaviour of the program behind a record that its output may not show."""

    sync_dropped: str | None = None  # why a synchronisation that was requested cannot have happened
    ranks_draw_apart: bool = False  # in random order: some blocks repeat, others are never accessed
    size_of_one_file: bool = False  # of many files it reports the size of one, and 0 where that is unknown
    sync_apart: bool = False  # a synchronisation is a phase of its own, and in the time of no write
    size_may_lag: bool = False  # it may look at the size before the last transfers are visible
    times_opens_and_closes: bool = False  # of every rank: no rank's files are open for longer than it prints


class Tool:
    """The hooks in REQUIRED are the tool's to write; the others have a default that suits most tools.

    command, footprint and problems look at the cell only; parse looks at the outputs only.
    """

    REQUIRED: ClassVar[tuple[str, ...]] = (
        "name",
        "purpose",
        "parameters",
        "label",
        "problems",
        "command",
        "footprint",
        "parse",
    )

    name: str  # as a suite writes it, and as the directory is called with - for _
    purpose: str  # a key of PURPOSES
    parameters: Mapping[str, Parameter]
    observing_command: str = ""  # measures as the original does, and writes what is observed to run.json
    log_start: re.Pattern[str] | None = None  # a line with which the original's output begins
    output_pattern: re.Pattern[str] | None = None  # in its outputs, those without results included
    # A form of its output that is not read, and as a noun which one it is and what to use instead.
    unread: tuple[re.Pattern[str], str] | None = None
    # Files of it that never hold a result, such as what it is told to do, each as a noun: none is refused.
    other_files: Sequence[tuple[re.Pattern[str], str]] = ()
    # Files in the directory of a log with log_start that belong to it (`iostat*.json`): parse_log has their
    # text behind that of the log.
    beside: Sequence[str] = ()
    summary: str = ""  # the name of a file with all results of a run: what else it printed is read there
    # Names that suites have for what interfaces() returns, where they differ: {"NCMPI": "PNETCDF"}.
    interface_names: Mapping[str, str] = {}
    programs: Sequence[Sequence[str]] = ()  # its programs as a prefix's bin has them, the preferred first

    def label(self, params: Mapping[str, Any]) -> str:
        """Readable part of a cell's name, from what distinguishes its parameters."""
        raise NotImplementedError

    def problems(self, cell: Cell, target: Target) -> Sequence[str]:
        """Why this cell has no valid meaning, as sentences; empty if it can run."""
        raise NotImplementedError

    def command(self, cell: Cell, target: Target, program: Sequence[str], paths: RunPaths) -> list[str]:
        """The arguments after the launcher, the program first; only for cells that the program can run."""
        raise NotImplementedError

    def footprint(self, cell: Cell) -> Footprint:
        """The load of one execution of the cell on the storage, at most."""
        raise NotImplementedError

    def parse(self, outputs: Mapping[str, Path]) -> Parsed:
        """Rows from the files of a run (roles: stdout, stderr, summary); any of them may be missing or
        truncated."""
        raise NotImplementedError

    def parse_log(self, text: str) -> Sequence[Parsed]:
        """The runs in a log that somebody kept, for weir import; none if it holds nothing of this tool."""
        return ()

    def requested_by(self, command: str) -> Mapping[str, Any]:
        """The parameters that a command line of the original requests."""
        return {}

    def without_storage(self, text: str) -> str:
        """The kind, as a noun, of an output whose program was told to use no storage: none is refused."""
        return ""

    def latencies(self, outputs: Mapping[str, Path]) -> Iterable[Row]:
        """Buckets of the times of single operations, where these are what the tool is about: access,
        iteration, upper_us, count."""
        return ()

    def habits(self, row: Row) -> Habits:
        """Known behaviour of the program behind a record, by its name, version and interface."""
        return Habits()

    def unsupported(self, cell: Cell, program: Sequence[str]) -> str | None:
        """Why this program of a stack cannot run a cell that has no problems, as a sentence; None if it can.

        The original of a tool often has less than weir-io, or another version of it.
        """
        return None

    def comparable(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """Parameters with which a program that cannot run the cell measures a part of it alike, for a
        cross-check; params themselves where there is no such part."""
        return params

    def measures_alike(self, params: Mapping[str, Any]) -> bool:
        """Whether these parameters give the same result as comparable(params) in the accesses of both."""
        return True

    def environment(self, cell: Cell) -> Mapping[str, str]:
        """Variables that the program needs for this cell alone. Such a cell has a launch of its own."""
        return {}

    def interfaces(self, program: Sequence[str], ask: Callable[[Sequence[str]], str]) -> Sequence[str]:
        """Interfaces that the program itself lists; none where it lists none. ask: starts a program in the
        stack's environment and returns its output."""
        return ()

    def ranks_command(self, program: Sequence[str], outputs: Path) -> list[str] | None:
        """Arguments that start the program for a moment, with a few bytes below outputs at most, so that
        ranks_started can tell where its ranks were; None if the program cannot tell."""
        return None

    def ranks_started(self, outputs: Path, printed: str) -> list[int]:
        """Ranks on each node as ranks_command saw them, by its files or what it printed; empty if neither
        is readable."""
        return []


class LogTool(Tool):
    """A program that no suite starts; what it printed is imported and judged, and set beside the counts of
    weir prove. It writes name, purpose and parse_log, and log_start or output_pattern."""

    parameters: Mapping[str, Parameter] = {}

    def label(self, params: Mapping[str, Any]) -> str:
        return self.name

    def problems(self, cell: Cell, target: Target) -> Sequence[str]:
        return [f"weir reads results of {self.name} (weir import, weir prove) and does not start it"]

    def command(self, cell: Cell, target: Target, program: Sequence[str], paths: RunPaths) -> list[str]:
        return [*program]

    def footprint(self, cell: Cell) -> Footprint:
        return Footprint(0, 0, 0, 0, 0)

    def parse(self, outputs: Mapping[str, Path]) -> Parsed:
        return Parsed((), {}, (), "", "", complete=False)
