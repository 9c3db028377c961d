"""The conditions of a contract: each is a function that names what it finds.

A function takes the value of its key and the records of one cell. It yields sentences: what was violated, or
Unknown where the records cannot tell.
"""

import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from weir.audit.judge import USABLE
from weir.base.units import about_size, counted, durations, few, sizes
from weir.collect.metrics import metric_named
from weir.decide.accept.contract import Line
from weir.decide.accept.evidence import EXPERIMENT, Measured, Run, shown_value
from weir.plan.config.parameters import cell_default, cell_key
from weir.records.model import Row
from weir.tools import tools


@dataclass(frozen=True)
class UnmetCondition:
    """A condition that does not hold (or is not known to), by its name."""

    condition: str
    text: str
    unknown: bool = False


class Unknown(str):
    """A sentence about missing evidence."""


@dataclass(frozen=True)
class CellRecords:
    """The records of one cell in one line."""

    line: Line
    measured: Measured
    rows: tuple[Row, ...]
    must_be: str | None

    @property
    def runs(self) -> list[Run]:
        """Run files of the cell, each once."""
        found = {row.get("run"): self.measured.run_of(row) for row in self.rows}
        return [run for run in found.values() if run is not None]

    @property
    def unfiled(self) -> int:
        """Records without a run file."""
        return sum(self.measured.run_of(row) is None for row in self.rows)


Check = Callable[[Any, CellRecords], Iterator[str]]
_MOST_DIFFERENCES = 3


_CONDITIONS: dict[str, Check] = {}  # by their keys in a contract


def condition(check: Check) -> Check:
    """Makes a condition of a function: its name is the key."""
    _CONDITIONS[check.__name__] = check
    return check


def findings(subject: CellRecords) -> list[UnmetCondition]:
    """Findings of all conditions of the line, in their order."""
    always = (verdict, value, unlisted_edit, edited, renamed, several_storages)
    texts = [(check.__name__, text) for check in always for text in check(subject)]
    given: Mapping[str, Any] = {"emulated": False, **subject.line.conditions}
    for key, check in _CONDITIONS.items():
        texts += [(key, text) for text in check(given[key], subject)] if key in given else []
    return [
        UnmetCondition(name.replace("_", "-"), str(text), isinstance(text, Unknown)) for name, text in texts
    ]


def usable(row: Row, must_be: str | None) -> bool:
    return row["verdict"] in (USABLE if must_be is None else (must_be,))


def verdict(subject: CellRecords) -> Iterator[str]:
    bad: dict[tuple[str, str], int] = defaultdict(int)
    for row in subject.rows:
        if not usable(row, subject.must_be):
            lacks = f"missing {row.get('missing')}" if row["verdict"] == "UNPROVEN" else row.get("reasons")
            bad[(row["verdict"], str(lacks or "no reason is recorded"))] += 1
    for (name, reason), count in sorted(bad.items()):
        text = f"{count} of {len(subject.rows)} records are {name}: {reason}"
        yield Unknown(text) if name == "UNPROVEN" else text


def value(subject: CellRecords) -> Iterator[str]:
    """Runs that count and tell no value: those that do may be the better ones."""
    if subject.line.promise is None:
        return
    metric, lacking = metric_named(subject.line.promise.metric), set[tuple[str, object]]()
    known: dict[tuple[str, object], set[str]] = defaultdict(set)
    for row in subject.rows:
        run = row["cell"], row.get("run")
        if usable(row, subject.must_be) and metric.of(row) is None:
            lacking.add(run)
        elif usable(row, subject.must_be):
            known[run].add(row["access"])
    lacking |= {run for run, accesses in known.items() if len(accesses) < len(subject.line.access)}
    if lacking and (whole := known.keys() - lacking):
        yield Unknown(f"{len(lacking)} of {len(whole) + len(lacking)} runs have no {metric.name}")


def unlisted_edit(subject: CellRecords) -> Iterator[str]:
    """Parameters that the contract neither fixes nor releases have their default."""
    line = subject.line
    if line.tool not in tools() or "may_change" not in line.conditions:
        return
    if subject.unfiled:
        count = f"{subject.unfiled} of {len(subject.rows)} records"
        yield Unknown(f"{count} have no run file: parameters that the contract does not name are not known")
    free = {*line.conditions["may_change"], "access"}
    settled = {*line.select, *line.conditions["fixed"]}
    changed: dict[str, Any] = {}
    for run in subject.runs:
        for name, parameter in tools()[line.tool].parameters.items():
            key = cell_key(name, parameter)
            value = run["cell"]["params"].get(key)
            if name not in free and key not in settled and not _same(value, cell_default(parameter)):
                changed[name] = value
    for name, value in changed.items():
        yield f"{name} is {value}, and the contract does not allow other values than the default"


def edited(subject: CellRecords) -> Iterator[str]:
    """Edits and deletions first: in a study whose collection was interrupted, all runs are additions."""
    if subject.measured.copied:
        yield subject.measured.copied
    differences = sorted(subject.measured.differences or (), key=lambda text: text.startswith("added"))
    lines = [f"not as it was collected: {text}" for text in differences]
    yield from few(lines, _MOST_DIFFERENCES, "and {} more files")


def renamed(subject: CellRecords) -> Iterator[str]:
    """The names by which runs were measured, where a line selects by the experiment and they differ."""
    if EXPERIMENT not in subject.line.select:
        return
    for row in subject.rows:
        run = subject.measured.run_of(row)
        measured = run["cell"].get(EXPERIMENT) if run is not None else None
        if measured is not None and measured != row.get(EXPERIMENT):
            name = f"{row['cell']} is of the experiment {row.get(EXPERIMENT)} in the records"
            hint = "measure the suite of the contract in a campaign of its own"
            yield f"{name}, and was measured as {measured}: {hint}"
            return


def several_storages(subject: CellRecords) -> Iterator[str]:
    storages = storages_of(subject.runs)
    if len(storages) > 1:
        yield f"its runs were measured on {' and '.join(storages)}"


def storages_of(runs: Iterable[Run]) -> list[str]:
    """The storage that the runs found below their targets, whose names any directory may have. Unknown
    storage is none. Clients of one file system may mount it from different servers: of these the path alone
    counts."""
    found = set()
    for run in runs:
        storage = (run.get("host") or {}).get("file_system") or {}
        device = str(storage.get("device") or "")
        of_server = "" if device.startswith("/") else "server:" * (":" in device)
        text = f"{storage.get('type') or ''} {of_server}{device.rpartition(':')[2] if of_server else device}"
        if text.strip():
            found.add(f"{run['cell'].get('target')} ({text.strip()})")
    return sorted(found)


@condition
def fixed(values: Mapping[str, Any], subject: CellRecords) -> Iterator[str]:
    for name, value in values.items():
        found = [subject.measured.parameter(row, name) for row in subject.rows]
        other = [one for one in found if one is not None and not _same(one, value)]
        if other:
            yield f"{name} is {shown_value(name, other[0])}, not {shown_value(name, value)}"
        elif None in found:
            yield Unknown(f"{name} is not recorded; the contract fixes {shown_value(name, value)}")


@condition
def command_has(options: Sequence[str], subject: CellRecords) -> Iterator[str]:
    if subject.unfiled:
        yield Unknown(_no_command_line(subject))
    for word in options:
        without = [run for run in subject.runs if not _has(run["command"], word)]
        if without:
            yield f"{len(without)} of {len(subject.runs)} command lines lack {word}"


@condition
def nodes(bound: Mapping[str, int], subject: CellRecords) -> Iterator[str]:
    yield from _counted("nodes", "nn", bound, subject)


@condition
def ppn(bound: Mapping[str, int], subject: CellRecords) -> Iterator[str]:
    yield from _counted("processes per node", "ppn", bound, subject)


@condition
def rounds_at_least(least: int, subject: CellRecords) -> Iterator[str]:
    count = len({row.get("run") for row in subject.rows if usable(row, subject.must_be)})
    if _lacks_runs(subject):
        yield Unknown(f"which runs the records are of is not recorded; the contract requires {least}")
    elif count < least:
        yield f"n = {counted(count, 'usable run')}, not {least}"


@condition
def iterations_at_least(least: int, subject: CellRecords) -> Iterator[str]:
    counts = Counter((row.get("run"), row["access"]) for row in subject.rows)
    if _lacks_runs(subject):
        yield Unknown(f"which runs the iterations are of is not recorded; each needs {least}")
    elif counts and min(counts.values()) < least:
        yield f"a run has {counted(min(counts.values()), 'iteration')}, not {least}"


@condition
def operations_at_least(least: int, subject: CellRecords) -> Iterator[str]:
    known = [row["ops"] for row in subject.rows if row.get("ops") is not None]
    if len(known) < len(subject.rows):
        yield Unknown("the number of operations is not recorded")
    elif min(known) < least:
        yield f"a run did {min(known):,} operations, not {least:,}"


@condition
def data_over_memory(factor: float, subject: CellRecords) -> Iterator[str]:
    for row, moved_bytes in _moved_per_node(subject):
        if moved_bytes is None:
            yield Unknown("the bytes moved are not recorded")
            return
        run = subject.measured.run_of(row)
        memory_bytes = (run or {}).get("host", {}).get("memory_bytes")
        if memory_bytes is None:
            yield Unknown("the memory of the nodes is not recorded")
            return
        if moved_bytes <= factor * memory_bytes:
            yield (
                f"{row['access']} moved {about_size(moved_bytes)} a node with {about_size(memory_bytes)} of "
                f"memory: {moved_bytes / memory_bytes:.2g} times, not more than {factor:g}"
            )
            return


@condition
def bytes_per_node_at_least(least: int, subject: CellRecords) -> Iterator[str]:
    found = [moved for _, moved in _moved_per_node(subject)]
    known = [moved for moved in found if moved is not None]
    if len(known) < len(found):
        yield Unknown("the bytes moved are not recorded")
    elif min(known) < least:
        yield "{} a node were moved, not {}".format(*sizes(min(known), least))


@condition
def memory_filled_percent(least: int, subject: CellRecords) -> Iterator[str]:
    if subject.unfiled:
        yield Unknown(_no_command_line(subject))
    shares = [_filled(run["command"]) for run in subject.runs]
    known = [share for share in shares if share is not None]
    if len(known) < len(shares):
        yield "the benchmark did not fill memory before the run (its option -M)"
    elif known and min(known) < least:
        yield f"{min(known)} % of the memory was filled, not {least} %"


@condition
def phase_at_least(least_s: float, subject: CellRecords) -> Iterator[str]:
    times = [row.get("total_s") or row.get("io_s") for row in subject.rows]
    known = [time for time in times if time is not None]
    if len(known) < len(times):
        yield Unknown("the time of a phase is not recorded")
    elif min(known) < least_s:
        yield "a phase lasted {}, not {}".format(*durations(min(known), least_s))


@condition
def span_at_most(most_s: float, subject: CellRecords) -> Iterator[str]:
    try:
        times = sorted(datetime.fromisoformat(str(row.get("began"))).timestamp() for row in subject.rows)
    except ValueError:
        yield Unknown("the time of a record is not known")
        return
    if times[-1] - times[0] > most_s:
        yield "the records span {}, not {}".format(*durations(times[-1] - times[0], most_s))


@condition
def same_run(accesses: Sequence[str], subject: CellRecords) -> Iterator[str]:
    if _lacks_runs(subject):
        yield Unknown(
            f"which runs the records are of is not recorded; they must have {' and '.join(accesses)}"
        )
        return
    together: dict[Any, set[str]] = defaultdict(set)
    for row in subject.measured.rows:
        together[row["cell"], row.get("run")].add(row["access"])
    for access in accesses:
        without = [row for row in subject.rows if access not in together[row["cell"], row.get("run")]]
        if without:
            yield f"{counted(len(without), 'record')} of runs that did not measure {access}"


@condition
def program(names: Sequence[str], subject: CellRecords) -> Iterator[str]:
    for found in {row.get("program") for row in subject.rows}:
        if found is None:
            yield Unknown("the program is not recorded")
        elif found not in names:
            yield f"the program is {found}, not {' or '.join(names)}"


@condition
def version(beginnings: Sequence[str], subject: CellRecords) -> Iterator[str]:
    for found in {row.get("tool_version") for row in subject.rows}:
        if found is None:
            yield Unknown("the version of the program is not recorded")
        elif not found.startswith(tuple(beginnings)):
            yield f"the version is {found}, not {' or '.join(beginnings)}"


@condition
def emulated(allowed: bool, subject: CellRecords) -> Iterator[str]:
    if not allowed and any(row.get("emulated") for row in subject.rows):
        yield "the storage is emulated"


def _no_command_line(subject: CellRecords) -> str:
    return f"{subject.unfiled} of {len(subject.rows)} records have no command line"


def _lacks_runs(subject: CellRecords) -> bool:
    """Whether several records are of runs that nobody told apart: imported logs may be of one run or many."""
    return len(subject.rows) > 1 and any(row.get("run") is None for row in subject.rows)


def _counted(what: str, column: str, bound: Mapping[str, int], subject: CellRecords) -> Iterator[str]:
    found = sorted({row[column] for row in subject.rows if row.get(column) is not None})
    if any(row.get(column) is None for row in subject.rows):
        yield Unknown(f"the number of {what} is not recorded")
    elif "exactly" in bound and found != [bound["exactly"]]:
        yield f"{what}: {', '.join(map(str, found))}, not {bound['exactly']}"
    elif found[0] < bound.get("at_least", 0):
        yield f"{what}: {found[0]}, not {bound['at_least']} or more"


def _moved_per_node(subject: CellRecords) -> Iterator[tuple[Row, float | None]]:
    for row in subject.rows:
        moved, nodes = row.get("moved_bytes"), row.get("nn")
        yield row, (moved / nodes if moved is not None and nodes else None)


def _has(command: Sequence[str], word: str) -> bool:
    """An option with a value, such as '-a POSIX', must be two consecutive arguments."""
    parts = shlex.split(word)
    return any(command[at : at + len(parts)] == parts for at in range(len(command)))


def _filled(command: Sequence[str]) -> int | None:
    """The share of IOR's -M 80%."""
    for at, word in enumerate(command):
        text = command[at + 1] if word == "-M" and at + 1 < len(command) else word.removeprefix("-M")
        if word.startswith("-M") and text.rstrip("%").isdigit():
            return int(text.rstrip("%"))
    return None


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return list(one) == list(other)
    return bool(one == other)
