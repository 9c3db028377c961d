"""Pass, fail or not proven: conditions first, then the promise against the interval of the runs."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, log, sqrt

from scipy import stats

from weir.accept.conditions import Finding, Subject, findings, usable
from weir.accept.contract import BEST, MEDIAN, Contract, Line, Promise
from weir.accept.evidence import Measured, Run, rows_of
from weir.compare.pairs import METRICS
from weir.model import Row

PASS, FAIL, NOT_PROVEN = "pass", "fail", "not proven"
LEVEL = 0.95
MOST_RUNS = 1000


@dataclass(frozen=True)
class Value:
    """The statistic of the runs; the interval is that of their geometric mean, None for one run."""

    value: float
    runs: int
    interval: tuple[float, float] | None
    spread: float  # standard deviation of the logarithms


@dataclass(frozen=True)
class Result:
    """One line, judged."""

    line: Line
    verdict: str
    why: str
    findings: tuple[Finding, ...]
    rows: tuple[Row, ...]
    value: Value | None
    runs: tuple[Run, ...]

    def over_promise(self, value: float) -> float:
        """Relative distance of a value from the promise; positive: better."""
        promise = self.line.promise
        if promise is None or promise.bound is None:
            raise ValueError("nothing was promised")
        return value / promise.bound - 1 if promise.higher_is_better else promise.bound / value - 1

    @property
    def margin(self) -> float | None:
        promised = self.line.promise is not None and self.line.promise.bound is not None
        return self.over_promise(self.value.value) if promised and self.value else None

    @property
    def margin_interval(self) -> tuple[float, float] | None:
        if self.margin is None or self.value is None or self.value.interval is None:
            return None
        low, high = sorted(self.over_promise(end) for end in self.value.interval)
        return low, high


def judge(contract: Contract, measured: Measured) -> list[Result]:
    results = [_judged(line, contract, measured) for line in contract.lines]
    return _one_storage(results)


def overall(results: Sequence[Result]) -> str:
    verdicts = {result.verdict for result in results}
    return FAIL if FAIL in verdicts else NOT_PROVEN if NOT_PROVEN in verdicts else PASS


def _judged(line: Line, contract: Contract, measured: Measured) -> Result:
    cells: dict[str, list[Row]] = defaultdict(list)
    for row in rows_of(line, measured):
        cells[row["cell"]].append(row)
    if not cells:
        missing = Finding("no-record", "no record has these parameters")
        return Result(line, NOT_PROVEN, missing.text, (missing,), (), None, ())
    chosen, found = _chosen(cells, line, contract, measured)
    subject = Subject(line, measured, tuple(chosen), contract.must_be)
    found += findings(subject)
    value = _value(chosen, line, contract) if line.promise else None
    if found:
        verdict, why = NOT_PROVEN, "; ".join(one.text for one in found)
    else:
        verdict, why = _decided(line.promise, value)
    return Result(line, verdict, why, tuple(found), tuple(chosen), value, tuple(subject.runs))


def _chosen(
    cells: dict[str, list[Row]], line: Line, contract: Contract, measured: Measured
) -> tuple[list[Row], list[Finding]]:
    """The rows of the one cell that counts."""
    if len(cells) == 1:
        return next(iter(cells.values())), []
    if line.takes_best and line.promise is not None:
        # A cell that violates a condition cannot replace one that meets it.
        sound = {
            cell: rows
            for cell, rows in cells.items()
            if not findings(Subject(line, measured, tuple(rows), contract.must_be))
        }
        values = {cell: _value(rows, line, contract) for cell, rows in (sound or cells).items()}
        better = 1 if line.promise.higher_is_better else -1
        best = max(values, key=lambda cell: better * (values[cell].value if values[cell] else 0.0))  # type: ignore[union-attr]
        return cells[best], []
    rows = [row for rows in cells.values() for row in rows]
    text = f"{len(cells)} cells have these parameters, and the contract does not select one"
    return rows, [Finding("several-cells", text)]


def _value(rows: Sequence[Row], line: Line, contract: Contract) -> Value | None:
    """Iterations of a run are one value; accesses of a line are added up run by run."""
    metric = METRICS[line.promise.metric] if line.promise else METRICS["rate"]
    logs: dict[tuple[str, object], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        value = metric.of(row)
        if value is not None and usable(row, contract.must_be):
            logs[row["cell"], row.get("run")][row["access"]].append(value)
    sums = [
        sum(statistics.fmean(values) for values in accesses.values())
        for accesses in logs.values()
        if len(accesses) == len(line.access)
    ]
    return _summary([log(value) for value in sums], line.promise) if sums else None


def _summary(logs: Sequence[float], promise: Promise | None) -> Value:
    centre = statistics.fmean(logs)
    spread = statistics.stdev(logs) if len(logs) > 1 else 0.0
    interval = None
    if len(logs) > 1:
        half = float(stats.t.ppf((1 + LEVEL) / 2, len(logs) - 1)) * spread / sqrt(len(logs))
        interval = exp(centre - half), exp(centre + half)
    if promise is not None and promise.statistic == BEST:
        centre = max(logs) if promise.higher_is_better else min(logs)
    elif promise is not None and promise.statistic == MEDIAN:
        centre = statistics.median(logs)
    return Value(exp(centre), len(logs), interval, spread)


def _decided(promise: Promise | None, value: Value | None) -> tuple[str, str]:
    """Verdict by the numbers if every condition holds."""
    if promise is None:
        return PASS, "all conditions hold; no value is required"
    if promise.bound is None:
        return NOT_PROVEN, "no value is promised yet: give it by --promise"
    if value is None:
        return NOT_PROVEN, "no usable run has a value"
    better = 1 if promise.higher_is_better else -1
    if not promise.by_interval:
        met = better * value.value >= better * promise.bound
        return (
            (PASS, "the value reaches the promise") if met else (FAIL, "the value does not reach the promise")
        )
    if value.interval is None:
        return NOT_PROVEN, "one run has no interval: measure more rounds"
    low, high = value.interval if better > 0 else value.interval[::-1]
    if better * low >= better * promise.bound:
        return PASS, "the whole interval reaches the promise"
    if better * high < better * promise.bound:
        return FAIL, "the whole interval misses the promise"
    more = _more_runs(value, promise.bound)
    text = (
        f"about {more} more runs would decide" if more else "the value is too close to the promise to decide"
    )
    return NOT_PROVEN, f"the promise lies within the interval; {text}"


def _more_runs(value: Value, bound: float) -> int | None:
    away = abs(log(value.value / bound))
    if away == 0:
        return None
    for runs in range(value.runs, MOST_RUNS):
        if float(stats.t.ppf((1 + LEVEL) / 2, runs - 1)) * value.spread / sqrt(runs) < away:
            return max(runs - value.runs, 1)
    return None


def _one_storage(results: list[Result]) -> list[Result]:
    """Lines that must be measured on one target become not proven if they were measured on several."""
    bound = [result for result in results if result.line.conditions.get("one_storage") and result.rows]
    targets = sorted({str(row.get("target")) for result in bound for row in result.rows})
    if len(targets) < 2:
        return results
    finding = Finding("one-storage", f"the lines were measured on {' and '.join(targets)}")
    return [_without_verdict(one, finding) if one in bound else one for one in results]


def _without_verdict(result: Result, finding: Finding) -> Result:
    why = f"{result.why}; {finding.text}" if result.findings else finding.text
    return replace(result, verdict=NOT_PROVEN, why=why, findings=(*result.findings, finding))
