"""Pass, fail or not proven: conditions first, then the promise against the interval of the runs."""

import bisect
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import exp, isclose, log, sqrt

from weir.base.units import counted, few
from weir.collect.metrics import metric_named
from weir.collect.rounds import REMARKS
from weir.decide.accept.conditions import CellRecords, UnmetCondition, findings, storages_of, usable
from weir.decide.accept.contract import BEST, MEDIAN, Contract, Line, Promise
from weir.decide.accept.evidence import Measured, Run, rows_of, why_none
from weir.records.model import Row, grouped
from weir.statistics.inference import MEDIAN_ERROR, mean_of, serial_factors, t_quantile, variance_of
from weir.statistics.median import fewest_for_median, level_of_look, median_interval

PASS, FAIL, NOT_PROVEN = "pass", "fail", "not proven"
MOST_RUNS = 1000
MOST_FINDINGS = 3
_ROUNDING = 1e-12  # relative: what logarithms and back take from a value


def is_equal(value: float, bound: float) -> bool:
    """Whether a value is the promise, as far as it was computed."""
    return isclose(value, bound, rel_tol=_ROUNDING)


@dataclass(frozen=True)
class Statistic:
    """The statistic of the runs with its own interval; None where the runs are too few for its level.

    Of several cells of which the best counts, the worse end holds for the best of so many, and the better end
    is the best of all cells."""

    value: float
    runs: int
    interval: tuple[float, float] | None
    spread: float  # standard deviation of the logarithms
    level: float
    look: int
    cells: int


@dataclass(frozen=True)
class JudgedLine:
    """One line, judged."""

    line: Line
    verdict: str
    why: str
    findings: tuple[UnmetCondition, ...]
    rows: tuple[Row, ...]
    value: Statistic | None
    runs: tuple[Run, ...]

    def _over_promise(self, value: float) -> float | None:
        """Relative distance of a value from the promise; positive: better. Twice the time is 100 % worse."""
        promise = self.line.promise
        if promise is None or promise.bound is None:
            return None
        if is_equal(value, promise.bound):
            return 0.0
        away = value / promise.bound - 1
        return away if promise.higher_is_better else -away

    @property
    def margin(self) -> float | None:
        return self._over_promise(self.value.value) if self.value else None

    @property
    def margin_interval(self) -> tuple[float, float] | None:
        ends = (self._over_promise(end) for end in (self.value and self.value.interval) or ())
        known = sorted(end for end in ends if end is not None)
        return (known[0], known[1]) if known else None


def judge(contract: Contract, measured: Measured) -> list[JudgedLine]:
    results = [_judged(line, contract, measured) for line in contract.lines]
    return _one_storage(results)


def overall(results: Sequence[JudgedLine]) -> str:
    verdicts = {result.verdict for result in results}
    return FAIL if FAIL in verdicts else NOT_PROVEN if NOT_PROVEN in verdicts else PASS


def _judged(line: Line, contract: Contract, measured: Measured) -> JudgedLine:
    cells = grouped((row["cell"], row) for row in rows_of(line, measured))
    if not cells:
        missing = UnmetCondition("no-record", why_none(line, measured), unknown=True)
        return JudgedLine(line, NOT_PROVEN, missing.text, (missing,), (), None, ())
    subjects = [CellRecords(line, measured, tuple(rows), contract.must_be) for rows in cells.values()]
    subject, value, found = _chosen(subjects, line.promise)
    found += [*_rounds(cells, line, measured), *findings(subject)]
    if found:
        verdict, why = NOT_PROVEN, "; ".join(one.text for one in found)
    else:
        verdict, why = _decided(line.promise, value, measured.autocorrelation(line.promise))
    return JudgedLine(line, verdict, why, tuple(found), subject.rows, value, tuple(subject.runs))


def _rounds(cells: Iterable[str], line: Line, measured: Measured) -> list[UnmetCondition]:
    """Rounds that were dropped; where the best of many cells counts, also cells that were dropped."""
    chosen = set(cells)
    texts = [
        str(one)
        for one in measured.rounds.findings
        if one.kind not in REMARKS
        and (
            measured.campaign
            or one.cell is None
            or one.cell in chosen
            or (line.takes_best and one.cell not in measured.cells)
        )
    ]
    return [UnmetCondition("rounds", text) for text in few(texts, MOST_FINDINGS, "and {} more")]


def _chosen(
    subjects: Sequence[CellRecords], promise: Promise | None
) -> tuple[CellRecords, Statistic | None, list[UnmetCondition]]:
    """The one cell that counts, and its value."""
    first = subjects[0]
    if len(subjects) > 1 and not first.line.takes_best:
        joined = replace(first, rows=tuple(row for one in subjects for row in one.rows))
        text = f"{len(subjects)} cells have these parameters, and the contract does not select one"
        return (
            joined,
            _value(joined, promise, 1) if promise else None,
            [UnmetCondition("several-cells", text)],
        )
    if promise is None:
        return first, None, []
    # A cell that violates a condition cannot replace one that meets it.
    sound = [one for one in subjects if len(subjects) == 1 or not findings(one)] or subjects
    valued = [(one, value) for one in sound if (value := _value(one, promise, len(subjects)))]
    if not valued:
        return sound[0], None, []
    subject, best = max(valued, key=lambda each: _worse_end(each[1], promise))
    if len(subjects) > 1:
        singly = [value for one in sound if (value := _value(one, promise, 1))]
        best = _best_of(best, singly, promise)
    return subject, best, []


def _worse_end(value: Statistic, promise: Promise) -> tuple[bool, float]:
    """The key that ranks cells, higher being better: the worse end of the interval, where it decides."""
    end = value.value
    if promise.by_interval and value.interval:
        end = value.interval[0 if promise.higher_is_better else 1]
    return value.interval is not None, end if promise.higher_is_better else -end


def _best_of(best: Statistic, singly: Sequence[Statistic], promise: Promise) -> Statistic:
    """The better end is that of the cell that may be best: it alone is wrong if the interval misses it."""
    ends = [one.interval for one in singly if one.interval]
    if best.interval is None or len(ends) < len(singly):
        return replace(best, interval=None)
    low, high = best.interval
    if promise.higher_is_better:
        return replace(best, interval=(low, max(end for _, end in ends)))
    return replace(best, interval=(min(end for end, _ in ends), high))


def _value(subject: CellRecords, promise: Promise, cells: int) -> Statistic | None:
    """Iterations of a run are one value; accesses of a line are added up run by run.

    cells: of which the best may be chosen."""
    metric, measured = metric_named(promise.metric), subject.measured
    runs: dict[tuple[str, object], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in subject.rows:
        value = metric.of(row)
        if value is not None and usable(row, subject.must_be):
            runs[row["cell"], row.get("run")][row["access"]].append(value)
    logs = [
        log(sum(statistics.fmean(values) for values in accesses.values()))
        for accesses in runs.values()
        if len(accesses) == len(subject.line.access)
    ]
    if not logs:
        return None
    look = max(measured.rounds.looks.get(cell, 1) for cell, _ in runs)
    level = 1 - (1 - level_of_look(look)) / cells
    spread = sqrt(variance_of(logs)) if len(logs) > 1 else 0.0
    centre, ends = _statistic(logs, promise, measured.autocorrelation(promise), level)
    interval = (exp(ends[0]), exp(ends[1])) if ends else None
    return Statistic(exp(centre), len(logs), interval, spread, level, look, cells)


def _statistic(
    logs: Sequence[float], promise: Promise, autocorrelation: float, level: float
) -> tuple[float, tuple[float, float] | None]:
    """The promised statistic of the runs, and its interval where it has one."""
    if promise.statistic == BEST:
        return max(logs) if promise.higher_is_better else min(logs), None
    if promise.statistic == MEDIAN:
        return statistics.median(logs), median_interval(logs, autocorrelation, level)
    ends = mean_of(logs, autocorrelation).interval(level) if len(logs) > 1 else None
    return statistics.fmean(logs), ends


def _decided(promise: Promise | None, value: Statistic | None, autocorrelation: float) -> tuple[str, str]:
    """Verdict by the numbers if every condition holds."""
    if promise is None:
        return PASS, "all conditions hold; no value is required"
    if promise.bound is None:
        return NOT_PROVEN, "no value is promised yet: give it by --promise"
    if value is None:
        return NOT_PROVEN, "no usable run has a value"
    bound, is_higher = promise.bound, promise.higher_is_better

    def met(end: float) -> bool:
        return is_equal(end, bound) or (end > bound) == is_higher

    if not promise.by_interval:
        if met(value.value):
            return PASS, "the value reaches the promise"
        return FAIL, "the value does not reach the promise"
    if value.interval is None:
        return NOT_PROVEN, _too_few(promise, value, autocorrelation)
    worse, better = value.interval if is_higher else value.interval[::-1]
    if met(worse):
        return PASS, "the whole interval reaches the promise"
    if not met(better):
        return FAIL, "the whole interval misses the promise"
    more = _more_runs(value, promise, autocorrelation)
    text = (
        f"about {counted(more, 'more run')} would decide: plan them, then judge once"
        if more
        else "the value is too close to the promise to decide"
    )
    return NOT_PROVEN, f"the promise lies within the interval; {text}"


def _too_few(promise: Promise, value: Statistic, autocorrelation: float) -> str:
    if promise.statistic == MEDIAN:
        fewest = fewest_for_median(autocorrelation, value.level)
        interval = f"{100 * value.level:.4g} % interval"
        return f"no {interval} of the median of {counted(value.runs, 'run')}: measure {fewest} or more"
    return "one run has no interval: measure more rounds"


def _more_runs(value: Statistic, promise: Promise, autocorrelation: float) -> int | None:
    """The number of runs with which the same numbers would decide at the next look, which is the stricter the
    later it is."""
    away = abs(log(value.value / (promise.bound or value.value)))
    wider = MEDIAN_ERROR if promise.statistic == MEDIAN else 1.0
    level = 1 - (1 - level_of_look(value.look + 1)) / value.cells

    def decide(runs: int) -> bool:
        factor, degrees = serial_factors(runs, autocorrelation)
        return t_quantile(degrees, (1 + level) / 2) * wider * value.spread * sqrt(factor / runs) < away

    candidates = range(value.runs + 1, MOST_RUNS)
    found = bisect.bisect_left(candidates, True, key=decide)
    return found + 1 if found < len(candidates) else None


def _one_storage(results: list[JudgedLine]) -> list[JudgedLine]:
    """Lines that must be measured on one storage become not proven if they were measured on several."""
    bound = [result for result in results if result.line.conditions.get("one_storage") and result.rows]
    finding = UnmetCondition("one-storage", "the storage of a record is not known", unknown=True)
    if all(row.get("target") is not None for result in bound for row in result.rows):
        targets = sorted({str(row["target"]) for result in bound for row in result.rows})
        if len(targets) < 2:
            targets = storages_of(run for result in bound for run in result.runs)
        if len(targets) < 2:
            return results
        finding = UnmetCondition("one-storage", f"the lines were measured on {' and '.join(targets)}")
    return [_without_verdict(one, finding) if one in bound else one for one in results]


def _without_verdict(result: JudgedLine, finding: UnmetCondition) -> JudgedLine:
    why = f"{result.why}; {finding.text}" if result.findings else finding.text
    return replace(result, verdict=NOT_PROVEN, why=why, findings=(*result.findings, finding))
