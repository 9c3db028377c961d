"""The settings to choose from, as points with a distance, and the choice of the next one to measure: by a
Gaussian process over the settings, by Optuna's TPE, or at random.

The logarithm of a rate is modelled (Matern 5/2, a length for each parameter, by marginal likelihood). The
next setting has the largest expected improvement. It is computed for all settings, tens to thousands.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.linalg import cho_factor, cho_solve

if TYPE_CHECKING:
    import optuna

Numbers = NDArray[np.float64]
Setting = Mapping[str, Any]


@dataclass(frozen=True)
class Space:
    """All settings; points has a row for each, with coordinates from 0 to 1."""

    settings: tuple[Setting, ...]
    points: Numbers
    axes: tuple[int, ...]  # number of the parameter that each coordinate belongs to
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.settings)


def make_space(settings: Sequence[Setting]) -> Space:
    """Numbers are ordered, by rank since sizes double; of other values each has a coordinate of its own."""
    names = tuple(settings[0])
    columns: list[list[float]] = []
    axes: list[int] = []
    for axis, name in enumerate(names):
        values = _values(settings, name)
        ranks = {value: rank for rank, value in enumerate(values)}
        found = [ranks[_plain(one[name])] for one in settings]
        if len(values) <= 2 or all(isinstance(value, (int, float)) for value in values):
            columns.append([rank / max(len(values) - 1, 1) for rank in found])
            axes.append(axis)
        else:
            for each in range(len(values)):
                columns.append([float(rank == each) for rank in found])
                axes.append(axis)
    return Space(tuple(settings), np.array(columns, dtype=float).T, tuple(axes), names)


def _plain(value: Any) -> Any:
    """Hints and lists as text, so that they can be told apart."""
    return value if isinstance(value, (int, float, str)) else json.dumps(value, sort_keys=True)


def _values(settings: Sequence[Setting], name: str) -> list[Any]:
    """All values of a parameter: numbers first, then texts."""
    return sorted({_plain(one[name]) for one in settings}, key=lambda value: (isinstance(value, str), value))


FIRST = 5  # settings far from each other, before the model is used
_LENGTHS = (0.3, 0.6, 1.2, 2.5)
_NOISES = (0.005, 0.02, 0.1)  # variance of a measurement, as a share of that among the settings
_CANDIDATES = 40
_FLOOR = 1e-9

Measure = Callable[[int], float | None]  # number of a setting to its score; None: no valid result


class Trials:
    """The measurements so far."""

    def __init__(self) -> None:
        self.scores: dict[int, float | None] = {}

    @property
    def usable(self) -> dict[int, float]:
        return {number: score for number, score in self.scores.items() if score is not None and score > 0}


def run(space: Space, budget: int, seed: int, measure: Measure, method: str = "gp") -> Trials:
    """Measure up to `budget` settings, each once."""
    if method == "tpe":
        return run_tpe(space, budget, seed, measure)
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


def _rest(space: Space, trials: Trials) -> list[int]:
    return [number for number in range(len(space)) if number not in trials.scores]


def by_chance(space: Space, trials: Trials, source: random.Random) -> int:
    return source.choice(_rest(space, trials))


def by_model(space: Space, trials: Trials, source: random.Random) -> int:
    usable = trials.usable
    if len(usable) < FIRST or len(set(usable.values())) == 1:
        return _far_away(space, trials, source)
    rest = _rest(space, trials)
    expected, deviation = predict(space, usable, rest)
    away = (expected - log(max(usable.values()))) / deviation
    gain = deviation * (away * stats.norm.cdf(away) + stats.norm.pdf(away))
    return rest[int(np.argmax(gain))]


def _far_away(space: Space, trials: Trials, source: random.Random) -> int:
    """The one farthest from all measured settings, of some drawn at random."""
    rest = _rest(space, trials)
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

    @cache
    def likelihood(lengths: tuple[float, ...], noise: float) -> float:
        return _likelihood(_kernel(inner, [lengths[axis] for axis in space.axes]), noise, values)

    lengths, noise = (0.6,) * len(space.names), _NOISES[1]
    for _ in range(2):
        for axis in range(len(lengths)):
            tried = [(*lengths[:axis], length, *lengths[axis + 1 :]) for length in _LENGTHS]
            lengths = max(lengths, *tried, key=lambda each: likelihood(each, noise))
        noise = max(noise, *_NOISES, key=lambda each: likelihood(lengths, each))
    return [lengths[axis] for axis in space.axes], noise


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


_MOST_REPEATED = 20  # proposals of settings that are known or do not exist, before one is drawn at random


def run_tpe(space: Space, budget: int, seed: int, measure: Measure) -> Trials:
    """Settings that TPE repeats are not measured again."""
    import optuna  # takes a second

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=FIRST)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    source, trials = random.Random(seed), Trials()
    choices = {name: _values(space.settings, name) for name in space.names}
    points = (tuple(_plain(one[name]) for name in space.names) for one in space.settings)
    numbers = {point: number for number, point in enumerate(points)}
    while len(trials.scores) < min(budget, len(space)):
        for _ in range(_MOST_REPEATED):
            trial = study.ask()
            number = numbers.get(tuple(_suggested(trial, name, choices[name]) for name in space.names))
            is_new = number is not None and number not in trials.scores
            if number is not None and is_new:
                trials.scores[number] = measure(number)
            _tell(study, trial, None if number is None else trials.scores[number])
            if is_new:
                break
        else:
            number = by_chance(space, trials, source)
            trials.scores[number] = measure(number)
    return trials


def _suggested(trial: optuna.trial.Trial, name: str, choices: Sequence[Any]) -> Any:
    """Numbers by their rank, other values as categories."""
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in choices):
        return choices[trial.suggest_int(name, 0, len(choices) - 1)]
    return trial.suggest_categorical(name, choices)


def _tell(study: optuna.study.Study, trial: optuna.trial.Trial, score: float | None) -> None:
    from optuna.trial import TrialState

    if score is None or score <= 0:
        study.tell(trial, state=TrialState.FAIL)
    else:
        study.tell(trial, log(score))
