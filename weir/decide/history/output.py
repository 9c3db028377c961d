"""Findings of a history as text, JUnit and plain values."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from math import exp, log

from weir.base.units import counted, few, ratio_text, three_digits
from weir.decide.history.band import FASTER, LEARNING, NORMAL, SLOWER, SPIKE, BandVerdict
from weir.decide.history.regimes import LevelChange
from weir.decide.history.series import Series, stopped
from weir.decide.history.store import ChangedFact
from weir.records.model import grouped
from weir.report.junit import FAILURE, SKIPPED, JunitCase, junit

SAME_INCIDENT_DAYS = 2
_MOST_STOPPED = 5
_MOST_SHOWN = 8  # series of three or four lines: a screen
_MOST_FINDINGS = 30  # lines: a screen
_MOST_CONDITIONS = 6  # notes of what else changed; a site of many nodes has one for each
_EMULATED = "; of emulated storage "  # between the headline of real storage and its own
ORDER = (SLOWER, SPIKE, FASTER, LEARNING, NORMAL)


def headline(found: Sequence[BandVerdict]) -> str:
    """Counts the slower series and names the worst, else has the newest values; then the other verdicts.
    Emulated storage is counted apart, after the real."""
    groups = ([one for one in found if one.emulated == each] for each in (False, True))
    return _EMULATED.join(_counts(each) for each in groups if each) or "no value that can be used"


def _counts(found: Sequence[BandVerdict]) -> str:
    counts = Counter(one.verdict for one in found)
    text = f"{counts[SLOWER]} of {len(found)} series slower"
    slower = [one for one in found if one.verdict == SLOWER]
    if slower:
        worst = max(slower, key=lambda one: abs(log(one.news_ratio)))
        which = "the worst " if len(slower) > 1 else ""
        value = _with_unit(three_digits(worst.value), worst.unit)
        text += f", {which}{worst.series}: {value}, x{ratio_text(worst.news_ratio)} since {worst.news_day}"
    else:
        text += f": newest {_ranges([(one.value, one.unit) for one in found])}"
    others = [f"{counts[verdict]} {verdict}" for verdict in ORDER if counts[verdict] and verdict != SLOWER]
    return "; ".join([text, *([", ".join(others)] if others else [])])


def _ranges(values: Sequence[tuple[float, str]]) -> str:
    """Least and largest value of each unit: numbers of different units are not compared."""
    texts = []
    for unit, found in grouped((unit, value) for value, unit in values).items():
        low, high = three_digits(min(found)), three_digits(max(found))
        texts.append(_with_unit(low if low == high else f"{low} to {high}", unit))
    return ", ".join(texts)


def _with_unit(number: str, unit: str) -> str:
    return f"{number} {unit}" if unit else number


def as_text(found: Sequence[BandVerdict], everything: bool = False) -> str:
    """The findings, as many as a screen has; with everything all of them, and what is normal."""
    ordered = sorted(found, key=lambda one: (one.emulated, ORDER.index(one.verdict), one.series))
    shown = [one for one in ordered if everything or one.verdict not in (NORMAL, LEARNING)]
    lines = [*incident_lines(found), *(f"  {line(one)}" for one in shown)]
    lines = lines if everything else few(lines, _MOST_FINDINGS, "and {} more: --all")
    return "\n".join([headline(found), *lines])


def condition_lines(conditions: Iterable[ChangedFact], everything: bool = False) -> list[str]:
    """Notes of changed facts, oldest first; without everything the latest ones."""
    ordered = sorted(conditions, key=lambda one: one.day)
    lines = list(dict.fromkeys(f"note: {one.day}: {one.text}" for one in ordered))
    more = 0 if everything else len(lines) - _MOST_CONDITIONS
    return [f"note: {more} earlier changes of nodes and targets: --all", *lines[more:]] if more > 0 else lines


def stopped_lines(every: Sequence[Series]) -> list[str]:
    """Series that a check judges by an old value."""
    found = [
        f"note: {one.name}: no value since {one.day(len(one) - 1)}, others until {last}: excluded or renamed?"
        for one, last in stopped(every)
    ]
    return few(found, _MOST_STOPPED, "note: and {} more without newer values")


def incident_lines(found: Sequence[BandVerdict]) -> list[str]:
    """Lines about series that moved together, the largest group first; a series that moved alone has its own
    line below."""
    lines = []
    for group in sorted(incidents(found), key=len, reverse=True):
        first, ratios = group[0], [one.news_ratio for one in group]
        system = f" of {first.system}" if first.system else ""
        if len(group) > 1:
            lines.append(
                f"one incident: {len(group)} series{system} {first.verdict} since {first.news_day}, "
                f"at x{ratio_text(min(ratios))} to x{ratio_text(max(ratios))} of before"
            )
    return lines


def incidents(found: Sequence[BandVerdict]) -> list[list[BandVerdict]]:
    """Series of one system that became slower, or faster, within days: one cause is likelier than many."""
    groups: list[list[BandVerdict]] = []
    began = ("", "", date.min)  # of the last group
    news = [
        (one.verdict, one.system, date.fromisoformat(text), one) for one in found if (text := one.news_day)
    ]
    for verdict, system, day, one in sorted(news, key=lambda each: each[:3]):
        if began[:2] == (verdict, system) and (day - began[2]).days <= SAME_INCIDENT_DAYS:
            groups[-1].append(one)
        else:
            groups.append([one])
            began = verdict, system, day
    return groups


def line(one: BandVerdict) -> str:
    value = _with_unit(three_digits(one.value), one.unit)
    text = f"{one.verdict:<8} {one.series}: {value} on {one.day}"
    if one.change is not None:
        text += f"; {change_text(one.change)}"
    elif one.alarm is not None and one.alarm.is_news:
        text += f"; x{ratio_text(one.news_ratio)}, most likely since {one.alarm.day}"
        text += f": newest {one.alarm.newest} points against the {one.alarm.before} before"
    if one.band is not None:
        text += (
            f"; band {three_digits(one.band.low)}–{three_digits(one.band.high)}, "
            f"n = {one.band.points} since {one.band.since}"
        )
        text += f", trend x{ratio_text(one.band.trend)} a year" if one.band.trend else ""
        text += ", allows for the day of the week" if one.band.rhythm else ""
    elif one.verdict == LEARNING:
        text += "; fewer than ten points at this level"
    return text


def change_text(change: LevelChange) -> str:
    low, high = change.interval
    return f"changed on {change.day} by x{ratio_text(change.ratio)} [{ratio_text(low)}–{ratio_text(high)}]"


def as_junit(found: Sequence[BandVerdict]) -> str:
    """A test case for each series; learning ones are skipped."""
    cases = []
    for one in found:
        kind = FAILURE if one.is_finding else SKIPPED if one.verdict == LEARNING else ""
        cases.append(JunitCase("history", one.series, kind, line(one)))
    return junit("weir history check", len(found), cases)


def show_text(judged: Sequence[tuple[Series, BandVerdict]], everything: bool = False) -> str:
    """The number of series that changed, then the latest changes first; with `everything` each series."""
    judged = sorted(judged, key=lambda one: one[0].emulated)
    changed = _changed(judged)
    others = [one for one in judged if not one[1].changes]
    groups = ([one for one in judged if one[0].emulated == each] for each in (False, True))
    days = sorted(day for series, _ in judged for day in (series.day(0), series.day(len(series) - 1)))
    lines = [_EMULATED.join(_levels(each) for each in groups if each)]
    lines[0] += f"; values of {days[0]} to {days[-1]}"
    shown = list(judged) if everything else [*changed, *others][:_MOST_SHOWN]
    lines += [regimes_text(series, one) for series, one in shown]
    if len(shown) < len(judged):
        rest = f"{max(len(changed) - _MOST_SHOWN, 0)} of them with a change"
        lines.append(f"and {len(judged) - len(shown)} more series, {rest}: --all")
    return "\n".join(lines)


def _changed(judged: Sequence[tuple[Series, BandVerdict]]) -> list[tuple[Series, BandVerdict]]:
    """The series with a change: real storage first, then the latest changes."""
    changed = [one for one in judged if one[1].changes]
    return sorted(changed, key=lambda one: (not one[0].emulated, one[1].changes[-1].day), reverse=True)


def _levels(judged: Sequence[tuple[Series, BandVerdict]]) -> str:
    changed = _changed(judged)
    many = "changed their level" if len(changed) != 1 else "changed its level"
    if changed:
        series, latest = changed[0]
        old, new = (three_digits(exp(regime.level)) for regime in latest.regimes[-2:])
        levels = (
            f"the latest {series.name}: {old} to {_with_unit(new, series.unit)} on {latest.changes[-1].day}"
        )
    else:
        levels = "medians " + _ranges([(exp(one.regimes[-1].level), one.unit) for _, one in judged])
    return f"{len(changed)} of {len(judged)} series {many}; {levels}"


def regimes_text(series: Series, found: BandVerdict) -> str:
    """The levels of one series and what lies between them."""
    count = counted(len(series), "point")
    lines = [f"{series.name}: {count}, {series.day(0)} to {series.day(len(series) - 1)}"]
    before: list[LevelChange | None] = [None, *found.changes]
    for regime, change in zip(found.regimes, before, strict=True):
        if change is not None:
            lines.append(f"    {change_text(change)}")
        level, points = three_digits(exp(regime.level)), regime.end - regime.start
        many = counted(points, "point")
        lines.append(f"  median {_with_unit(level, series.unit)} from {series.day(regime.start)}, {many}")
    return "\n".join(lines)
