"""A comparison as text for people, JSON for programs, JUnit for a centre's CI and CSV for the figure."""

import statistics
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from math import exp, log
from typing import Any

from weir.base.files import csv_lines
from weir.base.units import counted, few, percent, ratio_text, three_digits
from weir.collect.metrics import Metric
from weir.decide.compare.estimate import FEWEST_ROUNDS, FEWEST_SEPARATE
from weir.decide.compare.pairs import Pair, Unmatched
from weir.decide.compare.verdict import FASTER, SAME, SLOWER, UNDECIDED, JudgedPair
from weir.report.junit import ERROR, FAILURE, SKIPPED, JunitCase, junit

ORDER = (SLOWER, FASTER, UNDECIDED, SAME)
_MOST_UNMATCHED = 10
_MOST_SHOWN, _MOST_NOTES = 30, 6  # pairs and notes of a screen
_MOST_WITHOUT = 3
_TOO_WIDE = 10  # the upper end over the lower one
_NO_ESTIMATE = "no estimate: see the notes"
_FEWEST_FOR_UNITS, _NEAR, _ALL_NEAR = 3, 0.004, 0.02  # pairs; of logarithms of ratios


def facts(judged: JudgedPair) -> dict[str, Any]:
    """One line of the comparison as plain values."""
    found = judged.estimate
    low, high = found.interval() if found else (None, None)
    return {
        "label": judged.pair.label,
        "access": judged.pair.access,
        "emulated": judged.pair.emulated,
        "verdict": judged.verdict,
        "ratio": found.ratio() if found else None,
        "low": low,
        "high": high,
        "medians": list(judged.pair.medians),
        "unit": judged.pair.unit,
        "rounds": list(found.rounds if found else judged.pair.rounds),
        "design": found.design if found else None,
        "more_rounds": judged.more_rounds,
        "by_day": judged.by_day,
        "records": dict(judged.pair.verdicts),
        "notes": list(judged.notes),
        "parameters": dict(judged.pair.values),
    }


def sorted_for_reading(judged: Sequence[JudgedPair]) -> list[JudgedPair]:
    """Real storage before emulated; of each slower, faster, undecided, no difference, the largest ratios
    first."""

    def key(one: JudgedPair) -> tuple[bool, int, float, str]:
        away = abs(log(one.ratio)) if one.ratio else 0.0
        return one.pair.emulated, ORDER.index(one.verdict), -away, one.pair.label

    return sorted(judged, key=key)


def headline(judged: Sequence[JudgedPair], margin: float) -> str:
    """The number of pairs of each verdict, and by how much those differ that do, real storage first."""
    shown = {SAME: f"no difference within ±{100 * margin:.3g}%"}
    texts: list[str] = []
    for emulated, of in ((False, ""), (True, " of emulated storage")):
        some = [one for one in judged if one.pair.emulated == emulated]
        counts = Counter(one.verdict for one in some)
        parts = [f"{counts[verdict]} {shown.get(verdict, verdict)}" for verdict in ORDER]
        if some:
            texts += [f"{counted(len(some), 'pair')}{of}: {', '.join(parts)}", *_amounts(some)]
    return "; ".join(texts)


def _amounts(judged: Sequence[JudgedPair]) -> Iterator[str]:
    for verdict in (SLOWER, FASTER):
        apart = [abs(one.estimate.ratio() - 1) for one in judged if one.estimate and one.verdict == verdict]
        if apart:
            low, high = percent(min(apart)), percent(max(apart))
            yield f"{verdict} by {low} %" if low == high else f"{verdict} by {low} to {high} %"


def as_text(
    names: tuple[str, str],
    judged: Sequence[JudgedPair],
    unmatched: Sequence[Unmatched],
    margin: float,
    metric: Metric,
    everything: bool = False,
) -> str:
    """The answer first, then a screen; with everything each pair and each note."""
    better = "above 1: B is faster" if metric.higher_is_better else "below 1: B is faster"
    lines = [
        headline(judged, margin),
        f"A: {names[0]}",
        f"B: {names[1]}",
        f"ratio B/A of {metric.name} with its 95 % interval ({better}); 5 % of all verdicts may be false",
        "",
    ]
    together = _shared_needs(judged)
    lines += _rows(judged, together, everything)
    lines += [f"note: {text} ({count} of {len(judged)} pairs)" for text, count in together.items()]
    lines += _few(notes_of(judged), _MOST_NOTES, "notes", everything)
    return "\n".join([*lines, *unmatched_lines(unmatched)])


def _rows(judged: Sequence[JudgedPair], together: Container[str], everything: bool) -> list[str]:
    """Pairs without a ratio have one line together: the notes have the reasons."""
    ordered = sorted_for_reading(judged)
    without = [one for one in ordered if one.ratio is None]
    if everything or len(without) <= _MOST_WITHOUT:
        return _few([_line(one, together) for one in ordered], _MOST_SHOWN, "pairs", everything)
    rows = _few([_line(one, together) for one in ordered if one.ratio], _MOST_SHOWN, "pairs", everything)
    return [*rows, f"  {UNDECIDED:<13} {len(without)} pairs without a ratio: --all"]


def _shared_needs(judged: Sequence[JudgedPair]) -> dict[str, int]:
    """Counts texts on what would decide that several pairs have: a note has each, instead of their lines."""
    undecided = [one for one in judged if one.verdict == UNDECIDED and any(one.pair.medians)]
    needs = Counter(what_decides(one) for one in undecided if not one.more_rounds)
    return {text: count for text, count in needs.items() if count > 1 and text != _NO_ESTIMATE}


def _few(lines: Sequence[str], most: int, what: str, everything: bool) -> list[str]:
    return [*lines] if everything else few(lines, most, f"  and {{}} more {what}: --all")


def notes_of(judged: Sequence[JudgedPair]) -> list[str]:
    """Each once, those of most pairs first."""
    notes = Counter(note for one in judged for note in one.notes)
    counted = [f"note: {note} ({count} of {len(judged)} pairs)" for note, count in notes.most_common()]
    return [*filter(None, [unlike_units(judged)]), *counted]


def unlike_units(judged: Sequence[JudgedPair]) -> str:
    """A note where all ratios are that of two units, as of MB and MiB; empty if they are not."""
    logs = [one.estimate.log_ratio for one in judged if one.estimate]
    if len(logs) < _FEWEST_FOR_UNITS:
        return ""
    middle = statistics.median(logs)
    for power, (decimal, binary) in enumerate((("kB", "KiB"), ("MB", "MiB"), ("GB", "GiB")), start=1):
        factor = power * log(1024 / 1000)
        near = [abs(abs(value) - factor) for value in (middle, *logs)]
        if near[0] < _NEAR and statistics.median(near) < _NEAR and max(near) < _ALL_NEAR:
            text = f"that of {binary} and {decimal}: check the units"
            return f"note: all ratios are near x{exp(middle):.3f}, {text}"
    return ""


def _line(judged: JudgedPair, together: Container[str] = ()) -> str:
    shown = f"{'-' if judged.ratio is None else f'x{ratio_text(judged.ratio)}':>21}"
    if judged.estimate:
        shown = f"x{ratio_text(judged.estimate.ratio())} [{interval_text(judged)}]"
    line = f"  {judged.verdict:<13} {shown}  {judged.pair.access} {judged.pair.label}"
    line += " (UNPROVEN)" if judged.unproven else ""
    return f"{line} ({why_undecided(judged, together)})" if judged.verdict == UNDECIDED else line


def interval_text(judged: JudgedPair) -> str:
    """The interval, or how many rounds it is of where it tells nothing; as `ends_words` of the analysis."""
    if judged.estimate is None:
        return ""
    low, high = judged.estimate.interval()
    rounds = min(judged.estimate.rounds)
    if is_too_wide(judged):
        return f"not decided by {rounds} rounds"
    return f"{ratio_text(low)}–{ratio_text(high)}"


def is_too_wide(judged: JudgedPair) -> bool:
    """Whether the ends of an undecided pair are an order of magnitude apart, as of two rounds."""
    if judged.estimate is None or judged.verdict != UNDECIDED:
        return False
    low, high = judged.estimate.interval()
    return high >= _TOO_WIDE * low


def why_undecided(judged: JudgedPair, together: Container[str] = ()) -> str:
    """The medians of both sides, and what would decide, if no note tells it of several pairs together."""
    found = judged.pair.medians
    if not any(found):
        return "no usable value of A or B"
    medians = ", ".join(
        f"{name} no usable value" if value is None else f"{name} {three_digits(value)} {judged.pair.unit}"
        for name, value in zip(("A", "B"), found, strict=True)
    )
    rounds = [f"n = {min(judged.estimate.rounds)}"] if judged.estimate else []
    needed = what_decides(judged)
    return "; ".join([medians, *rounds, *([] if needed in together else [needed])])


def what_decides(judged: JudgedPair) -> str:
    count = judged.more_rounds
    if judged.estimate is None:
        return _lacking_rounds(judged.pair)
    if count is None and any(side.dropped for side in judged.pair.evidence):
        return "dropped rounds, named below, may be those that would decide otherwise"
    if count:
        return f"about {counted(count, 'more round')} would decide"
    if judged.by_day:
        return "different, but another day may have made it: measure in turns"
    if judged.estimate.between:
        return "more rounds would not decide: measure in turns, or on more days"
    return "more than 1,000 rounds would decide"


def _lacking_rounds(pair: Pair) -> str:
    """The rounds without which there is no interval: how much they vary is not known before."""
    lacks = [max(FEWEST_SEPARATE - count, 0) for count in pair.rounds]
    sides = " and ".join(
        f"{lack} more of {name}" for name, lack in zip(("A", "B"), lacks, strict=True) if lack
    )
    if not sides:
        return _NO_ESTIMATE
    text = f"{'each log counts as one round' if pair.of_logs else 'too few rounds'}: at least {sides} needed"
    in_turns = FEWEST_ROUNDS - pair.rounds[0]
    return f"{text}, {in_turns} of each if measured in turns" if pair.in_turns and in_turns > 0 else text


def unmatched_lines(unmatched: Sequence[Unmatched]) -> list[str]:
    if not unmatched:
        return []
    have, are = ("has", "is") if len(unmatched) == 1 else ("have", "are")
    cells = counted(len(unmatched), "cell")
    lines = [f"{cells} {have} no like cell on the other side and {are} not compared:"]
    lines += few([_unmatched_line(one) for one in unmatched], _MOST_UNMATCHED, "  and {} more")
    columns = Counter(name for one in unmatched if len(one.differs) == 1 for name, _, _ in one.differs)
    if columns:
        column = columns.most_common(1)[0][0]
        lines.append(f"hint: to compare across different values of {column}, add --across {column}")
    return lines


def _unmatched_line(one: Unmatched) -> str:
    why = ", ".join(f"{name} is {here} here, {there} there" for name, here, there in one.differs)
    return f"  {one.side}: {one.access} {one.label}: {why or 'nothing like it there'}"


def as_junit(
    names: tuple[str, str],
    judged: Sequence[JudgedPair],
    failed: Sequence[JudgedPair],
    evidence: Sequence[str],
) -> str:
    """A test case for each pair: slower ones of --fail-on fail, undecided ones are skipped.

    Worse evidence is one more test case, an error."""
    bad = {id(one) for one in failed}
    cases = []
    for one in judged:
        kind = FAILURE if id(one) in bad else SKIPPED if one.verdict == UNDECIDED else ""
        notes = "\n".join(one.notes) if kind == FAILURE else ""
        cases.append(JunitCase(one.pair.access, one.pair.label, kind, _line(one).strip(), notes))
    if evidence:
        cases.append(
            JunitCase("evidence", "B can be judged as A can", ERROR, evidence[0], "\n".join(evidence))
        )
    return junit(f"weir compare {names[0]} {names[1]}", len(judged), cases)


def as_csv(judged: Sequence[JudgedPair]) -> str:
    """The table for analysis: one row a pair."""
    rounds = ("rounds_a", "rounds_b")
    names = ("label", "access", "verdict", "ratio", "low", "high", *rounds, "design", "more_rounds", "notes")
    rows = []
    for one in sorted_for_reading(judged):
        values = facts(one) | {"notes": "; ".join(one.notes)}
        values |= zip(rounds, values["rounds"], strict=True)
        rows.append([values[name] for name in names])
    return csv_lines([names, *rows])
