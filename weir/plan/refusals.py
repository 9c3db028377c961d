"""Tells a value that can never run, a mistake in the suite, from points that a tool refuses among others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from weir.base.errors import Problem
from weir.plan.config.suite import Experiment
from weir.terms.model import Cell, Target

_Mark = tuple[int, int]  # axis and value of it, by their numbers
_HINT = "change it, or exclude it by a rule under where: with the reason"


@dataclass
class Refusals:
    """Counts for each value of each axis the points that rules leave, and those that the tool refuses."""

    experiment: Experiment
    left: Counter[_Mark] = field(default_factory=Counter)
    refused: Counter[_Mark] = field(default_factory=Counter)
    reasons: dict[_Mark, str] = field(default_factory=dict)

    def count(self, indices: Sequence[int]) -> None:
        """A point that no rule excludes."""
        self.left.update(enumerate(indices))

    def refuse(self, indices: Sequence[int], cell: Cell, target: Target, reasons: Sequence[str]) -> None:
        """A point that the tool refuses. A reason that names the target is about the site, not the suite."""
        elsewhere = self.experiment.tool.problems(cell, replace(target, name="another target"))
        own = [reason for reason in reasons if reason in elsewhere]
        if own:
            self.refused.update(enumerate(indices))
            for mark in enumerate(indices):
                self.reasons.setdefault(mark, own[0])

    def impossible(self) -> Iterator[Problem]:
        """A problem for each value that is refused wherever it stands, or one if nothing is left at all."""
        experiment = self.experiment
        hopeless = [mark for mark, count in self.left.items() if self.refused[mark] == count]
        if not hopeless:
            return
        if len(hopeless) == len(self.left):
            reason = self.reasons[hopeless[0]]
            yield experiment.file.problem(experiment.keys, f"no point of it can run: {reason}", _HINT)
            return
        for axis, value in sorted(hopeless):
            message = f"no cell can have this: {self.reasons[axis, value]}"
            yield experiment.file.problem(experiment.axes[axis].keys[value], message, _HINT)
