"""Settings with their scores: of cells of a plan that are measured on a machine, or of a table, in which each
setting is looked up. The objective is a rate, or the bytes of an application over the time that they take.
"""

import csv
import secrets
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from weir.audit.judge import VALID
from weir.base.errors import InputError, WeirError, did_you_mean, require_known
from weir.base.units import about_size, listed, parse_size
from weir.collect.measured import batch_of_cell, measure_in_turns
from weir.collect.metrics import metric_named
from weir.collect.table import DAMAGED, damage_named
from weir.decide.compare.pairs import Pair, samples
from weir.decide.compare.sides import records_file
from weir.decide.compare.verdict import JudgedPair, judge_pairs
from weir.decide.tune.search import Space, make_space
from weir.plan import Plan
from weir.plan.config.parameters import cell_key, written_value
from weir.plan.config.suite import Suite
from weir.records.columns import cell_columns
from weir.records.model import Cell, Row
from weir.records.printed_values import real

_MIB = 2**20


@dataclass(frozen=True)
class Objective:
    """shares: bytes of each access; one access alone is its rate."""

    shares: Mapping[str, float]

    @property
    def name(self) -> str:
        if len(self.shares) == 1:
            return f"{next(iter(self.shares))} rate"
        parts = " and ".join(f"{about_size(share)} {access}" for access, share in self.shares.items())
        return f"rate of an application with {parts}"

    def scored(self, rows: Iterable[Row]) -> list[Row]:
        """A row for each run whose accesses are all VALID: its rate, as bw_mib_s."""
        runs: dict[int, list[Row]] = defaultdict(list)
        for row in rows:
            if row.get("run") is not None and row["access"] in self.shares:
                runs[row["run"]].append(row)
        return [scored for _, run in sorted(runs.items()) if (scored := self._scored(run))]

    def _scored(self, rows: list[Row]) -> Row | None:
        rates: dict[str, list[float]] = defaultdict(list)
        for row in rows:
            value = metric_named("rate").of(row)
            if value is None or row["verdict"] != VALID:
                return None
            rates[row["access"]].append(value)
        if rates.keys() != self.shares.keys():
            return None
        time = sum(share / statistics.fmean(rates[access]) for access, share in self.shares.items())
        rate = sum(self.shares.values()) / time
        return {**rows[0], "access": "objective", "bw_mib_s": rate, "ops_s": None, "iteration": 0}


def objective_of(tune: Mapping[str, Any]) -> Objective:
    written = tune["objective"]
    if "access" in written:
        return Objective({written["access"]: 1.0})
    return Objective({access: float(parse_size(text)) for access, text in written["application"].items()})


_PLACES = ("nodes", "ppn")


@dataclass(frozen=True)
class Candidates:
    """The settings of one experiment on one target with one stack."""

    space: Space
    cells: tuple[Cell, ...]
    default: int
    elsewhere: int  # combinations that the plan excludes


@dataclass
class Machine:
    """Measures cells and scores them; why a setting has no score is kept."""

    plan: Plan
    results: Path
    objective: Objective
    refused: dict[str, str] = field(default_factory=dict)

    def score(self, cell: Cell) -> float | None:
        """The median of its runs, all of them VALID; None if one is not."""
        rows = self.measure([cell], self.results)[cell.cell]
        scored = self.objective.scored(rows)
        if len(scored) < cell.rounds:
            bad = [row for row in rows if row["verdict"] != VALID]
            reasons = sorted({f"{row['verdict']}: {row['reasons'] or row['missing']}" for row in bad})
            self.refused[cell.point] = "; ".join(reasons) or "a run has no number"
            return None
        return statistics.median(float(row["bw_mib_s"]) for row in scored)

    def measure(self, cells: Sequence[Cell], results: Path) -> dict[str, list[Row]]:
        """Records of the cells, one round of each after the other."""
        return measure_in_turns([batch_of_cell(self.plan, cell, results) for cell in cells])

    def compared(self, default: Cell, winner: Cell, rounds: int) -> JudgedPair:
        """Both measured again, alternately, in a new directory."""
        fresh = [replace(cell, rounds=rounds) for cell in (default, winner)]
        folder = self.results / f"confirm-{secrets.token_hex(4)}"
        rows = self.measure(fresh, folder)
        metric = metric_named("rate")
        first, second = (
            samples([("confirm", row) for row in self.objective.scored(rows[cell.cell])], metric)
            for cell in fresh
        )
        verdicts = Counter(str(row["verdict"]) for row in (*rows[default.cell], *rows[winner.cell]))
        pair = Pair(winner.point, self.objective.name, {}, first, second, verdicts)
        return judge_pairs([pair], metric)[0]


def candidates_of(plan: Plan, suite: Suite) -> Candidates:
    """Cells that differ only in parameters that may change."""
    tune = suite.tune
    if tune is None:
        hint = "see docs/how-to/tune.md, or config/suites/tune-transfers.yaml"
        raise InputError(f"the suite {suite.name} has no tune:", hint=hint)
    experiment = next(one for one in suite.experiments if one.name == tune["experiment"])
    parameters = experiment.tool.parameters
    names = {key: cell_key(key, parameters[key]) if key in parameters else key for key in tune["move"]}
    cells = [cell for cell in plan.cells if cell.experiment == experiment.name and not cell.checks]
    if len(cells) < 2:
        raise WeirError(f"{len(cells)} settings to choose from", hint="weir plan lists what is excluded")
    _only_moving_differs(cells, set(names.values()))
    settings = [
        {key: getattr(cell, name) if name in _PLACES else cell.params[name] for key, name in names.items()}
        for cell in cells
    ]
    given = {
        key: written_value(parameters[key], value) if key in parameters else value
        for key, value in tune.get("default", {}).items()
    }
    wanted = {key: given.get(key, settings[0][key]) for key in names}
    if wanted not in settings:
        shown = ", ".join(f"{key} {value}" for key, value in wanted.items())
        raise InputError("the default is not one of the settings", key="tune.default", value=shown)
    excluded = sum(one.count for one in plan.exclusions if one.experiment == experiment.name)
    return Candidates(make_space(settings), tuple(cells), settings.index(wanted), excluded)


def _only_moving_differs(cells: Sequence[Cell], moving: set[str]) -> None:
    hints = {name: f"choose one: --{name}" for name in ("target", "stack")}
    hints |= {name: f"add {name} to tune: move:" for name in _PLACES}
    for cell in cells[1:]:
        for name, hint in hints.items():
            one, other = getattr(cells[0], name), getattr(cell, name)
            if name not in moving and one != other:
                raise InputError(f"the settings differ in their {name}: {one} and {other}", hint=hint)


def known_suite(suites: Sequence[Suite], name: str) -> Suite:
    known = {suite.name: suite for suite in suites}
    if name not in known:
        raise WeirError("is not planned", key="--suite", value=name, hint=did_you_mean(name, known))
    return known[name]


_MOST_NAMES = 6  # names in a message


@dataclass(frozen=True)
class Replay:
    """The settings of a table with all their measurements."""

    space: Space
    values: tuple[tuple[float, ...], ...]
    emulated: bool = False  # the storage of a line at least

    def score(self, number: int) -> float:
        """The median: what an experiment with as many rounds would report."""
        return statistics.median(self.values[number])

    @property
    def best(self) -> float:
        return max(self.score(number) for number in range(len(self.values)))


def read_replay(path: Path, moving: Sequence[str], where: Mapping[str, str], value: str) -> Replay:
    """where: columns with the only value that counts."""
    path = records_file(path)
    with (
        path.open(newline="", encoding="utf-8") as stream,
        damage_named(path, (reader := csv.DictReader(stream)).reader),
    ):
        known = reader.fieldnames or ()
        _check_columns(path, known, (*moving, *where, value))
        rows = [(reader.line_num, _whole(path, reader.line_num, row)) for row in reader]
    fitting = [(line, row) for line, row in rows if all(row[name] == one for name, one in where.items())]
    if rows and not fitting:
        raise _no_line(path, [row for _, row in rows], where)
    found: dict[tuple[Any, ...], list[float]] = defaultdict(list)
    others = [name for name in ("access", *cell_columns()) if name in known and name not in (*moving, *where)]
    joined: dict[tuple[Any, ...], set[tuple[str, ...]]] = defaultdict(set)
    for line, row in fitting:
        if row[value] and row.get("verdict") not in ("INVALID", "DEGRADED"):
            setting = tuple(_typed(row[name]) for name in moving)
            found[setting].append(_number(row[value], path, line, value))
            joined[setting].add(tuple(row[name] for name in others))
    _warn_of_joined(path, others, joined.values())
    if len(found) < 2:
        raise _no_choice(path, found, moving, value)
    settings = [dict(zip(moving, key, strict=True)) for key in found]
    emulated = any(row.get("emulated", "").lower() == "true" for _, row in fitting)
    return Replay(make_space(settings), tuple(tuple(values) for values in found.values()), emulated)


def _check_columns(path: Path, known: Sequence[str], names: Iterable[str]) -> None:
    if not known:
        raise InputError("is empty", file=path, hint="give a CSV file with a header")
    if len(known) < 2:
        hint = "name the records.csv of a study, or its folder"
        raise InputError("is not a table: its first line has one name", file=path, hint=hint)
    require_known(names, known, "is not a column", file=path)


def _whole(path: Path, line: int, row: dict[str, str]) -> dict[str, str]:
    if None in row or None in row.values():
        raise InputError("has more or fewer fields than the header", file=path, line=line, hint=DAMAGED)
    return row


def _number(text: str, path: Path, line: int, value: str) -> float:
    number = real(text)
    if number is None:
        hint = "--value names a column of numbers, such as bw_mib_s"
        raise InputError(f"'{text}' is not a number", file=path, line=line, key=value, hint=hint)
    return number


def _no_line(path: Path, rows: Sequence[Mapping[str, str]], where: Mapping[str, str]) -> WeirError:
    """The column of --where that has no such value, or all of them together."""
    for name, wanted in where.items():
        values = sorted({row[name] for row in rows})
        if wanted not in values:
            key = f"--where {name}"
            message = f"no line has {name} {wanted}"
            return InputError(message, file=path, key=key, value=wanted, hint=did_you_mean(wanted, values))
    text = ", ".join(f"{name} {wanted}" for name, wanted in where.items())
    return InputError(f"no line has {text} together", file=path, key="--where", hint="leave one of them out")


def _no_choice(path: Path, found: Iterable[tuple[Any, ...]], moving: Sequence[str], value: str) -> WeirError:
    settings = [", ".join(f"{name} {one}" for name, one in zip(moving, key, strict=True)) for key in found]
    if settings:
        message, key = f"has one setting alone: {settings[0]}", "--move"
        hint = "name a column with several values, or fix fewer columns by --where"
    else:
        message, key = f"has no line with a valid {value}", "--value"
        hint = "lines that are INVALID, DEGRADED or have no value do not count"
    return InputError(message, file=path, key=key, hint=hint)


def _warn_of_joined(path: Path, others: Sequence[str], settings: Iterable[Iterable[tuple[str, ...]]]) -> None:
    """The median of unlike cells, as of several numbers of nodes, may be best by their mix."""
    values = [list(zip(*cells, strict=True)) for cells in settings]
    mixed = [name for at, name in enumerate(others) if any(len(set(one[at])) > 1 for one in values)]
    if mixed:
        text = f"a setting joins different values of {listed(mixed, _MOST_NAMES)}"
        hint = f"fix each, such as --where {mixed[0]}=VALUE, or let it change: --move {mixed[0]}"
        print(f"weir: {path}: {text}\n    hint: {hint}", file=sys.stderr)


def _typed(text: str) -> Any:
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text
