"""From estimates to verdicts with an error rate that holds for the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weir.compare.estimate import Estimate, estimate, in_turns, neighbours
from weir.compare.pairs import RESERVED, UNPROVEN, Metric, Pair

FASTER, SLOWER, SAME, UNDECIDED = "faster", "slower", "no difference", "undecided"
LEVEL = 0.05


@dataclass(frozen=True)
class Judged:
    """One pair with its verdict; notes say what a reader must know before acting on it."""

    pair: Pair
    estimate: Estimate | None
    verdict: str
    slower_chance: float | None  # q-value of "slower by more than the limit", over the whole table
    more_rounds: int | None  # that would decide; only where undecided
    notes: tuple[str, ...]

    @property
    def unproven(self) -> bool:
        """Whether records without full evidence are part of the ratio."""
        return bool(self.pair.verdicts.get(UNPROVEN))

    @property
    def surely_slower(self) -> bool:
        """By more than the limit, with the error rate of the whole table."""
        return self.slower_chance is not None and self.slower_chance <= LEVEL


def judge_pairs(
    pairs: Sequence[Pair],
    metric: Metric,
    margin: float = 0.05,
    limit: float = 0.0,
    day_to_day: float = 0.0,
) -> list[Judged]:
    """limit: a slowdown counts for --fail-on only if it is surely larger than this share."""
    alike = {turns: neighbours(pairs, turns) for turns in (True, False)}
    estimates = [estimate(pair, alike[in_turns(pair)], day_to_day) for pair in pairs]
    differs = _adjusted([one.chance_different() if one else None for one in estimates])
    same = _adjusted([_chance_unequal(one, margin) if one else None for one in estimates])
    slower = _adjusted([_chance_not_slower(one, metric, limit) if one else None for one in estimates])
    # Where no other pair differs, one of so many is decided at this level.
    level = 1 - LEVEL / len(pairs) if pairs else 1 - LEVEL
    judged = []
    for index, (pair, found) in enumerate(zip(pairs, estimates, strict=True)):
        verdict = _verdict(found, metric, differs[index], same[index])
        more = found.more_rounds(margin, level) if found and verdict == UNDECIDED else None
        judged.append(Judged(pair, found, verdict, slower[index], more, _notes(pair, found)))
    return judged


def _verdict(found: Estimate | None, metric: Metric, differs: float | None, same: float | None) -> str:
    if found is None or differs is None or same is None:
        return UNDECIDED
    if same <= LEVEL:
        return SAME
    if differs <= LEVEL:
        return FASTER if (found.log_ratio > 0) == metric.higher_is_better else SLOWER
    return UNDECIDED


def _chance_unequal(found: Estimate, margin: float) -> float:
    """Two one-sided tests: the ratio is within the margin only if neither end of it can be the truth."""
    return max(found.chance_above(1 / (1 + margin)), found.chance_below(1 + margin))


def _chance_not_slower(found: Estimate, metric: Metric, limit: float) -> float:
    if metric.higher_is_better:
        return found.chance_below(1 - limit)
    return found.chance_above(1 / (1 - limit))


def _adjusted(chances: Sequence[float | None]) -> list[float | None]:
    """Benjamini and Hochberg: of all verdicts below 5 %, one in twenty is expected to be false."""
    order = sorted((chance, index) for index, chance in enumerate(chances) if chance is not None)
    found: list[float | None] = [None] * len(chances)
    smallest = 1.0
    for rank in range(len(order), 0, -1):
        chance, index = order[rank - 1]
        smallest = min(smallest, chance * len(order) / rank)
        found[index] = smallest
    return found


def _notes(pair: Pair, found: Estimate | None) -> tuple[str, ...]:
    notes = []
    if found is None:
        refused = pair.verdicts.get(RESERVED) or pair.verdicts.get("INVALID")
        notes.append("fewer than two rounds a side" + (" that can be used" if refused else ""))
    elif found.design == "separate":
        notes.append("measured one after the other: what changed between is part of the ratio")
    if count := pair.verdicts.get(RESERVED):
        notes.append(f"{count} DEGRADED record{'s' * (count > 1)} not used")
    if count := pair.verdicts.get("INVALID"):
        notes.append(f"{count} INVALID record{'s' * (count > 1)} not used")
    if count := pair.verdicts.get(UNPROVEN):
        notes.append(f"{count} UNPROVEN record{'s' * (count > 1)} used")
    return tuple(notes)
