"""Optuna's TPE as a search: the only file that knows Optuna."""

from __future__ import annotations

import json
import random
from math import log

import optuna

from weir.decide.tune.search import FIRST, Measure, Space, Trials

_MOST_REPEATED = 20  # proposals of settings that are known or do not exist, before one is drawn at random


def run_tpe(space: Space, budget: int, seed: int, measure: Measure) -> Trials:
    """Searches like weir.decide.tune.search.run; settings that TPE repeats are not measured again."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=FIRST)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    source, trials = random.Random(seed), Trials()
    choices = {name: _choices(space, name) for name in space.names}
    numbers = {_key(space, number): number for number in range(len(space))}
    while len(trials.scores) < min(budget, len(space)):
        for _ in range(_MOST_REPEATED):
            trial = study.ask()
            key = tuple(_suggested(trial, name, choices[name]) for name in space.names)
            number = numbers.get(key)
            if number is not None and number not in trials.scores:
                break
            _tell(study, trial, trials.scores.get(number) if number is not None else None)
        if number is None or number in trials.scores:
            number = source.choice([each for each in range(len(space)) if each not in trials.scores])
            trials.scores[number] = measure(number)
            continue
        trials.scores[number] = measure(number)
        _tell(study, trial, trials.scores[number])
    return trials


def _suggested(trial: optuna.trial.Trial, name: str, choices: list[str]) -> str:
    """Numbers by their rank, other values as categories."""
    if all(_is_number(json.loads(text)) for text in choices):
        return choices[trial.suggest_int(name, 0, len(choices) - 1)]
    return str(trial.suggest_categorical(name, choices))


def _tell(study: optuna.study.Study, trial: optuna.trial.Trial, score: float | None) -> None:
    if score is None or score <= 0:
        study.tell(trial, state=optuna.trial.TrialState.FAIL)
    else:
        study.tell(trial, log(score))


def _choices(space: Space, name: str) -> list[str]:
    texts = {json.dumps(one[name], sort_keys=True) for one in space.settings}
    return sorted(texts, key=lambda text: (not _is_number(json.loads(text)), _rank(text), text))


def _rank(text: str) -> float:
    value = json.loads(text)
    return float(value) if _is_number(value) else 0.0


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _key(space: Space, number: int) -> tuple[str, ...]:
    return tuple(json.dumps(space.settings[number][name], sort_keys=True) for name in space.names)
