"""An application as phases of I/O with the compute time between: from config/applications/<name>.yaml, or by
what a log of Darshan has of it.

The test of a prediction plans and measures cells with the parameters of each phase.
"""

import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from weir.base.errors import ConfigError, InputError, Problem, WeirError
from weir.base.units import about_size, counted, parse_duration, parse_size, three_digits
from weir.collect.measured import measure_in_turns
from weir.data import load_schema
from weir.measure.session import planned_batch
from weir.plan import Plan, make_plan
from weir.plan.config import Config
from weir.plan.config.schema import check
from weir.plan.config.sources import Sources
from weir.plan.config.suite import FULL
from weir.plan.config.suites import load_suite
from weir.plan.config.yaml_file import YamlFile, read_yaml
from weir.prove.darshan import ALL_RANKS, APIS, Log, LoggedMount, Use
from weir.records.model import Row, grouped
from weir.tools import tools

_DEFAULTS = {
    "api": "POSIX",
    "layout": "shared",
    "order": "sequential",
    "collective": False,
    "repeat": 1,
    "compute": "0 s",
}


@dataclass(frozen=True)
class IoPhase:
    """size_bytes: of one process in one repetition. measured_as: the access in records of the application."""

    name: str
    access: str
    api: str
    layout: str
    order: str
    collective: bool
    xfer_bytes: int
    size_bytes: int
    measured_as: str
    repeat: int = 1
    compute_s: float = 0.0


@dataclass(frozen=True)
class Application:
    name: str
    description: str
    nodes: int
    ppn: int
    phases: tuple[IoPhase, ...]


def read_application(file: Path, root: Path) -> Application:
    """root: what the file is named relative to in messages."""
    written = read_yaml(file, root)
    problems = check(written, load_schema("application")) or _empty(written)
    if problems:
        raise ConfigError(problems)
    data = written.data
    phases = tuple(_phase(_DEFAULTS | phase) for phase in data["phases"])
    return Application(data["application"], data.get("description", ""), data["nodes"], data["ppn"], phases)


def _empty(written: YamlFile) -> list[Problem]:
    """Sizes of zero, of which there is no rate."""
    return [
        written.problem(("phases", index, key), "a phase moves at least one byte", None, phase[key])
        for index, phase in enumerate(written.data["phases"])
        for key in ("xfer", "bytes")
        if parse_size(phase[key]) == 0
    ]


def _phase(data: dict[str, Any]) -> IoPhase:
    return IoPhase(
        name=data["phase"],
        **{key: data[key] for key in ("access", "api", "layout", "order", "collective", "repeat")},
        xfer_bytes=parse_size(data["xfer"]),
        size_bytes=parse_size(data["bytes"]),
        measured_as=data.get("measured_as", data["access"]),
        compute_s=parse_duration(data["compute"]),
    )


def trial_plan(application: Application, config: Config, rounds: int) -> Plan:
    """A cell for each pattern of the application on each target of the configuration."""
    name = f"predict-{application.name}"
    with tempfile.TemporaryDirectory(prefix="weir-predict-") as folder:
        suites = Path(folder) / "suites"
        suites.mkdir()
        (suites / f"{name}.yaml").write_text(yaml.safe_dump(suite_of(application, rounds), sort_keys=False))
        sources = Sources(config.sources.root, (Path(folder), *config.sources.folders))
        suite = load_suite(sources, name, FULL, tools())
        return make_plan(replace(config, suites=(suite,)))


def suite_of(application: Application, rounds: int) -> dict[str, Any]:
    """The contents of a suite file; phases of one pattern share an experiment, which writes and reads."""
    patterns = dict.fromkeys(_pattern(phase) for phase in application.phases)
    tool = _tool_with(("layout", "order", "collective", "xfer", "block", "access", "drop_caches"))
    return {
        "suite": f"predict-{application.name}",
        "question": f"Do transfers with the parameters of {application.name} take the predicted time?",
        "experiments": {
            f"kernel-{number}": {
                "tool": tool,
                "nodes": [application.nodes],
                "ppn": [application.ppn],
                "space": {"api": [api]},
                "fixed": {
                    "layout": layout,
                    "order": order,
                    "collective": collective,
                    "xfer": f"{xfer_bytes} B",
                    "block": f"{block_bytes} B",
                    "access": ["write", "read"],
                    "drop_caches": True,
                },
                "repetitions": {"rounds": rounds},
            }
            for number, (api, layout, order, collective, xfer_bytes, block_bytes) in enumerate(patterns, 1)
        },
    }


def _tool_with(parameters: Collection[str]) -> str:
    """The one that can measure such a pattern by itself."""
    return next(
        name
        for name, tool in tools().items()
        if tool.purpose == "bandwidth" and set(parameters) <= tool.parameters.keys()
    )


def _pattern(phase: IoPhase) -> tuple[str, str, str, bool, int, int]:
    """The block is a whole number of transfers that holds the bytes of a process."""
    transfers = max(1, -(-phase.size_bytes // phase.xfer_bytes))
    return (
        *(phase.api, phase.layout, phase.order, phase.collective, phase.xfer_bytes),
        transfers * phase.xfer_bytes,
    )


def measured_trial(plan: Plan, results: Path) -> list[Row]:
    """The records of all cells of the plan, one round of each after the other."""
    found = measure_in_turns([planned_batch(plan, batch, results) for batch in plan.batches])
    return [row for rows in found.values() for row in rows]


_LEAST_SHARE = 0.01  # share of the mount's bytes; the description names smaller patterns
_SEQUENTIAL = 0.75  # share of ascending offsets; a random order has 0.5

_Pattern = tuple[str, str, str, str, bool]


def application_in(log: Log, nodes: int, on: Path | None = None) -> Application:
    """The application on one mount. Accesses of one interface, layout, order and kind of call are one phase,
    in the order of their first calls; its bytes are those of all processes, shared among them."""
    if nodes < 1 or log.processes % nodes:
        hint = f"a divisor of {log.processes}"
        raise InputError("does not fit the log", key="--nodes", value=str(nodes), hint=hint)
    uses = _of_callers([one for one in log.uses if on is None or one.place == log.place_of(on)])
    place = _place(log, uses, on)
    uses = [one for one in uses if one.place == place]
    layouts, ordered = _layouts(log, uses), sorted(uses, key=lambda use: use.began_s)
    patterns = grouped((_pattern_of_use(one, layouts), one) for one in ordered)
    moved = {key: sum(one.bytes for one in each) for key, each in patterns.items()}
    total = sum(moved.values())
    kept = [key for key, moved_bytes in moved.items() if moved_bytes >= _LEAST_SHARE * total]
    rest = total - sum(moved[key] for key in kept)
    return Application(
        name=re.sub(r"[^a-z0-9]+", "-", log.program.lower()).strip("-") or "unknown",
        description=f"{log.program}, {counted(log.processes, 'process')} on "
        f"{counted(nodes, 'node')}, {three_digits(log.elapsed_s)} s; "
        f"{about_size(total)} on {place.point} ({place.file_system})"
        + (f", of which {about_size(rest)} in other patterns are excluded" if rest else ""),
        nodes=nodes,
        ppn=log.processes // nodes,
        phases=tuple(_logged_phase(log, at, key, patterns[key]) for at, key in enumerate(kept, 1)),
    )


def _of_callers(uses: Sequence[Use]) -> list[Use]:
    """The uses that the program called: of a file that MPI-IO moved, not the calls below. It is not known by
    which calls streams of the C library reach the file."""
    through_mpi = {one.file for one in uses if one.api == APIS["MPI-IO"]}
    return [
        one
        for one in uses
        if one.api == APIS["MPI-IO"] or (one.api == APIS["POSIX"] and one.file not in through_mpi)
    ]


def _place(log: Log, uses: Iterable[Use], on: Path | None) -> LoggedMount:
    bytes_by_place: Counter[LoggedMount] = Counter()
    for one in uses:
        bytes_by_place[one.place] += one.bytes
    if not bytes_by_place:
        where = f" below the mount of {on}" if on else ""
        raise WeirError(
            f"has no transfers by POSIX or MPI-IO{where}",
            file=log.file,
            hint="weir prove --darshan tells what it has",
        )
    return bytes_by_place.most_common(1)[0][0]


def _layouts(log: Log, uses: Iterable[Use]) -> dict[int, str]:
    """Layout of each file. A log has one record if all processes used a file, else one per process."""
    ranks: dict[int, set[int]] = defaultdict(set)
    for one in uses:
        ranks[one.file].add(one.rank)
    return {
        file: "shared" if ALL_RANKS in each or len(each) > 1 or log.processes == 1 else "file-per-process"
        for file, each in ranks.items()
    }


def _pattern_of_use(use: Use, layouts: dict[int, str]) -> _Pattern:
    steps = max(use.calls - 1, 1)
    is_random = (
        use.sequential_calls is not None and use.calls > 1 and use.sequential_calls < _SEQUENTIAL * steps
    )
    collective = use.collective_calls > use.calls / 2
    return use.access, use.api, layouts[use.file], "random" if is_random else "sequential", collective


def _logged_phase(log: Log, number: int, pattern: _Pattern, uses: Sequence[Use]) -> IoPhase:
    access = pattern[0]
    size_bytes = max(round(sum(one.bytes for one in uses) / log.processes), 1)
    xfer_bytes = min(_transfer_bytes(uses), size_bytes)
    return IoPhase(f"{access}-{number}", *pattern, xfer_bytes, size_bytes, measured_as=access)


def _transfer_bytes(uses: Sequence[Use]) -> int:
    """The size of those calls that moved most, if the log has it; else the mean."""
    moved: Counter[int] = Counter()
    for one in uses:
        for size, calls in one.sizes.items():
            moved[size] += size * calls
    if moved:
        return moved.most_common(1)[0][0]
    return max(sum(one.bytes for one in uses) // max(sum(one.calls for one in uses), 1), 1)
