"""Chooses the next setting to measure: by a Gaussian process over the settings, or at random.

The logarithm of a rate is modelled (Matern 5/2, a length for each parameter, by marginal likelihood). The
next setting has the largest expected improvement. It is computed for all settings, tens to thousands.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from math import log, sqrt

import numpy as np
from scipy import stats
from scipy.linalg import cho_factor, cho_solve

from weir.decide.tune.space import Numbers, Space

FIRST = 5  # settings far from each other, before the model is used
_LENGTHS = (0.3, 0.6, 1.2, 2.5)
_NOISES = (0.005, 0.02, 0.1)  # variance of a measurement, as a share of that among the settings
_CANDIDATES = 40
_FLOOR = 1e-9

Measure = Callable[[int], float | None]  # number of a setting to its score; None: no valid result
Search = Callable[[Space, int, int], Iterator[int]]


class Trials:
    """The measurements so far."""

    def __init__(self) -> None:
        self.scores: dict[int, float | None] = {}

    @property
    def usable(self) -> dict[int, float]:
        return {number: score for number, score in self.scores.items() if score is not None and score > 0}


def run(space: Space, budget: int, seed: int, measure: Measure, method: str = "gp") -> Trials:
    """Measure up to `budget` settings, each once."""
    trials = Trials()
    source = random.Random(seed)
    choose = CHOOSERS[method]
    while len(trials.scores) < min(budget, len(space)):
        number = choose(space, trials, source)
        trials.scores[number] = measure(number)
    return trials


def winner(trials: Trials) -> int | None:
    """The best of those measured; a new comparison has to show whether it is better than the default."""
    usable = trials.usable
    return max(usable, key=lambda number: usable[number]) if usable else None


def by_chance(space: Space, trials: Trials, source: random.Random) -> int:
    return source.choice([number for number in range(len(space)) if number not in trials.scores])


def by_model(space: Space, trials: Trials, source: random.Random) -> int:
    usable = trials.usable
    if len(usable) < FIRST or len(set(usable.values())) == 1:
        return _far_away(space, trials, source)
    rest = [number for number in range(len(space)) if number not in trials.scores]
    expected, deviation = predict(space, usable, rest)
    away = (expected - log(max(usable.values()))) / deviation
    gain = deviation * (away * stats.norm.cdf(away) + stats.norm.pdf(away))
    return rest[int(np.argmax(gain))]


def _far_away(space: Space, trials: Trials, source: random.Random) -> int:
    """The one farthest from all measured settings, of some drawn at random."""
    rest = [number for number in range(len(space)) if number not in trials.scores]
    drawn = source.sample(rest, min(_CANDIDATES, len(rest)))
    if not trials.scores:
        return drawn[0]
    known = space.points[list(trials.scores)]
    return max(drawn, key=lambda number: float(np.abs(known - space.points[number]).sum(axis=1).min()))


def predict(space: Space, usable: dict[int, float], points: Sequence[int]) -> tuple[Numbers, Numbers]:
    """Mean and standard deviation of the logarithm of the score."""
    known = list(usable)
    logs = np.log([usable[number] for number in known])
    centre, scale = float(logs.mean()), float(logs.std()) or 1.0
    values = (logs - centre) / scale
    inner = _differences(space, known, known)
    lengths, noise = _fitted(space, inner, values)
    factor = cho_factor(_kernel(inner, lengths) + noise * np.eye(len(known)), lower=True)
    across = _kernel(_differences(space, list(points), known), lengths)
    mean = across @ cho_solve(factor, values)
    variance = 1.0 - np.einsum("ij,ji->i", across, cho_solve(factor, across.T))
    return mean * scale + centre, np.sqrt(np.maximum(variance, _FLOOR)) * scale


def _fitted(space: Space, inner: Numbers, values: Numbers) -> tuple[list[float], float]:
    """Lengths and noise that make the measurements most likely, found one after the other."""
    lengths, noise = [0.6] * len(space.names), _NOISES[1]
    best = _likelihood(_by_coordinate(space, inner, lengths), noise, values)
    for _ in range(2):
        for axis in range(len(lengths)):
            for length in _LENGTHS:
                tried = [*lengths[:axis], length, *lengths[axis + 1 :]]
                found = _likelihood(_by_coordinate(space, inner, tried), noise, values)
                if found > best:
                    best, lengths = found, tried
        for each in _NOISES:
            found = _likelihood(_by_coordinate(space, inner, lengths), each, values)
            if found > best:
                best, noise = found, each
    return [lengths[axis] for axis in space.axes], noise


def _by_coordinate(space: Space, inner: Numbers, lengths: Sequence[float]) -> Numbers:
    return _kernel(inner, [lengths[axis] for axis in space.axes])


def _likelihood(kernel: Numbers, noise: float, values: Numbers) -> float:
    lower, _ = factor = cho_factor(kernel + noise * np.eye(len(values)), lower=True)
    return float(-0.5 * values @ cho_solve(factor, values) - np.log(np.diag(lower)).sum())


def _differences(space: Space, rows: Sequence[int], columns: Sequence[int]) -> Numbers:
    return np.abs(space.points[list(rows)][:, None, :] - space.points[list(columns)][None, :, :])


def _kernel(differences: Numbers, lengths: Sequence[float]) -> Numbers:
    """Matern 5/2."""
    distance = sqrt(5) * np.sqrt(((differences / np.array(lengths)) ** 2).sum(axis=-1))
    return np.asarray((1 + distance + distance**2 / 3) * np.exp(-distance))


CHOOSERS: dict[str, Callable[[Space, Trials, random.Random], int]] = {"gp": by_model, "random": by_chance}
