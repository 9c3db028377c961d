"""Like cells of two sides: equal in every parameter but what is compared. Unlike ones are never paired.

The sides may differ beyond their cells: in programs, machines, storage behind a name, order in time. A ratio
belongs to the storage only if these are alike. What the records and run files tell is a note.
"""

import statistics
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from math import exp, log
from typing import Any, NamedTuple

from weir.audit.explain import is_of_log
from weir.base.units import counted, listed
from weir.collect.metrics import Metric
from weir.collect.rounds import REMARKS
from weir.collect.tally import described, machine_of
from weir.decide.compare.sides import Campaign, Side
from weir.records.model import Row, grouped
from weir.runs.files import read_run_file

Key = tuple[Any, ...]

# Columns on who ran where with what; with the parameters they decide whether two points may be compared.
IDENTITY = ("site", "target", "stack", "tool", "program")
NEVER_USED = "INVALID"
RESERVED = "DEGRADED"
UNPROVEN = "UNPROVEN"
OTHER_DAY_S = 18 * 3600.0  # between two campaigns of consecutive nights lies less than a day


@dataclass(frozen=True)
class Sample:
    """The values of one cell in one campaign: logarithms of the geometric mean of each round."""

    campaign: str
    rounds: tuple[int, ...]
    logs: tuple[float, ...]
    began: tuple[str, ...]

    @cached_property
    def began_s(self) -> list[float]:
        """The same in seconds since 1970, empty where a time is not known. A time without a zone, as IOR
        prints it, is local time here."""
        try:
            return [datetime.fromisoformat(text).timestamp() for text in self.began]
        except ValueError:
            return []


class RecordQuality(NamedTuple):
    """The quality of the records of one side; only more of `bad` is worse."""

    rounds: int  # of the campaign that has most
    records: int
    bad: int  # DEGRADED or INVALID
    # Rounds that were planned or ended and are not in the records as they ended.
    dropped: tuple[str, ...] = ()

    @property
    def bad_share(self) -> float:
        return self.bad / self.records if self.records else 0.0


@dataclass(frozen=True)
class Pair:
    """One cell on both sides."""

    label: str
    access: str
    values: Mapping[str, Any]  # the columns that both have in common
    first: tuple[Sample, ...]
    second: tuple[Sample, ...]
    verdicts: Mapping[str, int]  # of all records of the pair, unused ones included
    cells: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())  # identities, of each side
    evidence: tuple[RecordQuality, RecordQuality] = (RecordQuality(0, 0, 0), RecordQuality(0, 0, 0))
    unit: str = ""  # of the values of both sides
    of_logs: bool = False  # each round is a log that was imported
    emulated: bool = False  # the storage of a side at least
    of_too_few: str = ""  # records without a value: their operations are too few for the metric

    @property
    def rounds(self) -> tuple[int, int]:
        """The rounds of each side that can be used."""
        first, second = (sum(len(one.logs) for one in side) for side in (self.first, self.second))
        return first, second

    @property
    def medians(self) -> tuple[float | None, float | None]:
        """The median round of each side; None for a side without a usable record."""
        logs = ([value for one in side for value in one.logs] for side in (self.first, self.second))
        first, second = (exp(statistics.median(values)) if values else None for values in logs)
        return first, second

    @cached_property
    def in_turns(self) -> bool:
        """Whether both sides have the same rounds, and each round of both was over before the next began."""
        if len(self.first) != 1 or len(self.second) != 1:
            return False
        first, second = self.first[0], self.second[0]
        if first.rounds != second.rounds or not (first.began_s and second.began_s):
            return False
        rounds = [sorted(both) for both in zip(first.began_s, second.began_s, strict=True)]
        return all(before < after for (_, before), (after, _) in pairwise(rounds))


class Unmatched(NamedTuple):
    """A cell that only one side has, and in what it differs from the nearest one of the other side."""

    side: str
    label: str
    access: str
    differs: tuple[tuple[str, Any, Any], ...]  # column, here, there; empty: nothing like it


@dataclass(frozen=True)
class Pairing:
    pairs: tuple[Pair, ...]
    unmatched: tuple[Unmatched, ...]


def pair_cells(
    sides: tuple[Side, Side], parameters: Sequence[str], metric: Metric, across: Iterable[str] = ()
) -> Pairing:
    """Pair on all parameters and the identity, without the columns in `across`."""
    ignored = set(across)
    columns = [name for name in (*IDENTITY, *parameters) if name not in ignored]
    first, second = (_by_key(side, columns) for side in sides)
    pairs = [
        _pair(key, columns, (first[key], second[key]), sides, metric)
        for key in sorted(first.keys() & second.keys(), key=str)
    ]
    alone = [
        *_unmatched(sides[0].name, first, second, columns),
        *_unmatched(sides[1].name, second, first, columns),
    ]
    return Pairing(tuple(pairs), tuple(alone))


Rows = list[tuple[str, Row]]  # name of the campaign, record


def _by_key(side: Side, columns: Sequence[str]) -> dict[Key, Rows]:
    return grouped((tuple(map(row.get, columns)), (campaign, row)) for campaign, row in side.rows_once())


def _pair(
    key: Key, columns: Sequence[str], rows: tuple[Rows, Rows], sides: tuple[Side, Side], metric: Metric
) -> Pair:
    first, second = rows
    example = first[0][1]
    values = {name: value for name, value in zip(columns, key, strict=True) if value is not None}
    return Pair(
        label=_label([*first, *second]),
        access=str(example["access"]),
        values=values,
        first=samples(first, metric),
        second=samples(second, metric),
        verdicts=Counter(str(row["verdict"]) for _, row in (*first, *second)),
        cells=(_cells(first), _cells(second)),
        evidence=(_evidence(first, sides[0]), _evidence(second, sides[1])),
        unit=metric.unit_of(example),
        of_logs=all(is_of_log(row) for _, row in (*first, *second)),
        emulated=_is_emulated([*first, *second]),
        of_too_few=_of_too_few([*first, *second], metric),
    )


def _of_too_few(rows: Rows, metric: Metric) -> str:
    count = sum(metric.has_too_few(row) for _, row in rows)
    which = f"no {metric.name} of fewer than {metric.fewest_ops} operations"
    return f"{counted(count, 'record')} not used: {which}" if count else ""


def _label(rows: Rows) -> str:
    """The name that every output shows, with the mark of emulated storage."""
    example = rows[0][1]
    label = str(example.get("label") or example["cell"])
    return f"{label} (E)" if _is_emulated(rows) else label


def _is_emulated(rows: Rows) -> bool:
    return any(row.get("emulated") for _, row in rows)


def _evidence(rows: Rows, side: Side) -> RecordQuality:
    rounds: dict[str, set[int | None]] = defaultdict(set)
    for campaign, row in rows:
        rounds[campaign].add(row.get("run"))
    bad = sum(row["verdict"] in (NEVER_USED, RESERVED) for _, row in rows)
    cells = _cells(rows)
    dropped = [
        str(one)
        for campaign in side.campaigns
        if campaign.rounds
        for one in campaign.rounds.of_cells(cells)
        if one.kind not in REMARKS
    ]
    return RecordQuality(max(map(len, rounds.values())), len(rows), bad, tuple(dict.fromkeys(dropped)))


def _cells(rows: Rows) -> frozenset[str]:
    return frozenset(str(row["cell"]) for _, row in rows)


def samples(rows: Rows, metric: Metric) -> tuple[Sample, ...]:
    """One sample for each campaign, or day. Iterations of one run are one value: they are not independent."""
    found: dict[str, dict[int, list[tuple[float, str]]]] = defaultdict(lambda: defaultdict(list))
    for campaign, row in rows:
        value = metric.of(row)
        if value is not None and row["verdict"] not in (NEVER_USED, RESERVED):
            number = -1 if row.get("run") is None else row["run"]
            found[campaign][number].append((log(value), str(row.get("began") or "")))
    return _of_days([_sample(campaign, rounds) for campaign, rounds in found.items()])


def _sample(campaign: str, rounds: Mapping[int, Sequence[tuple[float, str]]]) -> Sample:
    """Rounds in the order in which they ran."""
    order = sorted(rounds, key=lambda number: (min(began for _, began in rounds[number]), number))
    return Sample(
        campaign,
        tuple(order),
        tuple(statistics.fmean(value for value, _ in rounds[number]) for number in order),
        tuple(min(began for _, began in rounds[number]) for number in order),
    )


def _of_days(found: Sequence[Sample]) -> tuple[Sample, ...]:
    """Campaigns that began on one day are one: parts of it do not show what changes from day to day."""
    if not all(one.began_s for one in found):
        return tuple(found)
    days: list[list[Sample]] = []
    for one in sorted(found, key=lambda each: min(each.began_s)):
        if days and min(one.began_s) - min(days[-1][0].began_s) < OTHER_DAY_S:
            days[-1].append(one)
        else:
            days.append([one])
    return tuple(map(_joined, days))


def _joined(parts: Sequence[Sample]) -> Sample:
    if len(parts) == 1:
        return parts[0]
    return Sample(
        ", ".join(one.campaign for one in parts),
        tuple(number for one in parts for number in one.rounds),
        tuple(value for one in parts for value in one.logs),
        tuple(began for one in parts for began in one.began),
    )


def _unmatched(
    side: str, here: Mapping[Key, Rows], there: Mapping[Key, Rows], columns: Sequence[str]
) -> list[Unmatched]:
    return [
        Unmatched(side, _label(here[key]), str(here[key][0][1]["access"]), _differences(key, there, columns))
        for key in sorted(here.keys() - there.keys(), key=str)
    ]


def _differences(
    key: Key, there: Mapping[Key, Rows], columns: Sequence[str]
) -> tuple[tuple[str, Any, Any], ...]:
    """The differences between the cell and its nearest neighbour; with more than two columns they are no
    neighbours."""
    apart = (
        tuple((name, one, two) for name, one, two in zip(columns, key, other, strict=True) if one != two)
        for other in there
    )
    return min((one for one in apart if len(one) <= 2), key=len, default=())


Run = Mapping[str, Any]  # a run.json
_STORAGE = ("type", "device", "mount_point", "options")
_MOST_VALUES = 3
_CLOCK = 1.1  # ratio of frequencies at the beginning of a run: a smaller one may be a moment


def unlike_conditions(sides: tuple[Side, Side], pairs: Sequence[Pair], across: Collection[str]) -> list[str]:
    """Notes; across: columns in which the sides are meant to differ."""
    runs = [[run for campaign in one.campaigns for run in _runs(campaign)] for one in sides]
    first, second = (_of_side(one, of_side, across) for one, of_side in zip(sides, runs, strict=True))
    notes = [
        f"note: {name} differs: {_some(first[name])} in A, {_some(second[name])} in B"
        for name in first
        if name in second and first[name] != second[name]
    ]
    return [*notes, *_clocks(*runs), *_order(pairs)]


def _of_side(side: Side, runs: Iterable[Run], across: Collection[str]) -> dict[str, set[str]]:
    """All values of each condition, by its name."""
    found: dict[str, set[str]] = defaultdict(set)
    for campaign in side.campaigns:
        for row in campaign.rows:
            if "program" not in across and row.get("tool_version"):
                found[f"version of {row.get('program') or row.get('tool')}"].add(str(row["tool_version"]))
    for run in runs:
        host = run.get("host") or {}
        for name, value in described(machine_of(host)).items():
            found[name].add(value)
        storage = host.get("file_system") or {}
        if "target" not in across and storage:
            text = " ".join(str(storage[name]) for name in _STORAGE if storage.get(name))
            found[f"storage of target {run['cell'].get('target')}"].add(text)
    return found


def _clocks(first: Iterable[Run], second: Iterable[Run]) -> Iterator[str]:
    """A note where every run of a side began at a higher frequency than every run of the other."""
    found = [
        [mhz for run in side if (mhz := ((run.get("host") or {}).get("power") or {}).get("mhz"))]
        for side in (first, second)
    ]
    if not all(found):
        return
    ends = [(min(side), max(side)) for side in found]
    low, high = sorted(ends)
    if high[0] > _CLOCK * low[1]:
        texts = (f"{one:.0f} to {two:.0f} MHz in {name}" for (one, two), name in zip(ends, "AB", strict=True))
        yield f"note: frequency of the processors before a run differs: {', '.join(texts)}"


def _runs(campaign: Campaign) -> Iterator[Run]:
    if campaign.study is None:
        return
    results = campaign.study.resolve().parent
    for cell, number in {
        row["cell"]: row["run"] for row in campaign.rows if row.get("run") is not None
    }.items():
        document = read_run_file(results, cell, number)
        if document is not None and "cell" in document:
            yield document


def _some(values: Collection[str]) -> str:
    return listed(sorted(values), _MOST_VALUES)


def _order(pairs: Sequence[Pair]) -> Iterator[str]:
    """B is the later one for whoever asks whether something became slower."""
    first = _times(one for pair in pairs for one in pair.first)
    second = _times(one for pair in pairs for one in pair.second)
    if first and second and max(second) < min(first):
        yield "note: B was measured before A: if A is meant to be the state before, exchange them"


def _times(samples: Iterable[Sample]) -> list[datetime]:
    """The times with a zone, which can be compared."""
    times = []
    for text in (text for one in samples for text in one.began):
        with suppress(ValueError):
            times.append(datetime.fromisoformat(text))
    return [time for time in times if time.tzinfo is not None]
