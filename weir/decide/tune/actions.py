"""Runs weir tune: finds the best setting, its gain and how to use it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path

from weir.base.errors import WeirError
from weir.base.units import three_digits
from weir.decide.compare.verdict import FASTER, Judged
from weir.decide.tune import output
from weir.decide.tune.live import Machine, candidates_of, known_suite, objective_of
from weir.decide.tune.replay import read_replay
from weir.decide.tune.search import Measure, Space, Trials, run, winner
from weir.plan import make_plan
from weir.plan.config import load_config
from weir.terms.columns import columns

BUDGET, CONFIRM_ROUNDS = 20, 6


def tune(args: argparse.Namespace) -> int:
    return _replay(args) if args.replay else _live(args)


def search(space: Space, budget: int, seed: int, measure: Measure, method: str) -> Trials:
    if method == "tpe":
        from weir.decide.tune.tpe import run_tpe

        return run_tpe(space, budget, seed, measure)
    return run(space, budget, seed, measure, method)


def _live(args: argparse.Namespace) -> int:
    chosen = {
        "site": args.site,
        "suites": [args.suite],
        "targets": args.target,
        "stacks": args.stack,
        "scale": args.scale,
    }
    config = load_config(config_dir=args.config_dir, overrides=chosen)
    plan, suite = make_plan(config), known_suite(config.suites, args.suite)
    candidates = candidates_of(plan, suite)
    settings = suite.tune or {}
    budget = args.budget or settings.get("budget", BUDGET)
    results = (args.results or Path("results") / plan.site.name / f"tune-{suite.name}").resolve()
    machine = Machine(plan, results, objective_of(settings))
    space, cells = candidates.space, candidates.cells
    print(f"{len(space)} settings, {budget} to measure: {machine.objective.name}", flush=True)

    def measure(number: int) -> float | None:
        score = machine.score(cells[number])
        shown = f"{score:,.1f} MiB/s" if score is not None else "no score"
        print(f"  {output.setting_text(space.settings[number])}: {shown}", flush=True)
        return score

    method = args.search or settings.get("search", "gp")
    trials = search(space, budget, args.seed, measure, method)
    best = winner(trials)
    for point, reason in machine.refused.items():
        print(f"no score: {point}: {reason}")
    if best is None:
        raise WeirError("no setting has a VALID result", hint="the lines above have the reasons")
    judged = None
    if best != candidates.default:
        rounds = settings.get("confirm_rounds", CONFIRM_ROUNDS)
        judged = machine.compared(cells[candidates.default], cells[best], rounds)
    lines = [f"best: {output.setting_text(space.settings[best])}", *_gain(judged)]
    lines += output.as_used(cells[best], plan.site.targets[cells[best].target])
    lines += [*output.not_tried(space, trials), f"excluded by the suite or the site: {candidates.elsewhere}"]
    if args.hints and (text := output.hints_file(cells[best])):
        args.hints.write_text(text, encoding="utf-8")
    if args.json:
        args.json.write_text(
            json.dumps(_facts(space, trials, best, judged), indent=1) + "\n", encoding="utf-8"
        )
    print("\n".join(lines))  # after the files: a reader that has gone must not cost what was measured
    return 0


def _gain(judged: Judged | None) -> list[str]:
    if judged is None:
        return ["gain: none, the default is the best of those measured"]
    if judged.estimate is None:
        return ["gain: unknown, not all new runs are VALID"]
    low, high = judged.estimate.interval()
    rounds = min(judged.estimate.rounds)
    ratio = f"x{judged.estimate.ratio():.3f} [{low:.3f}–{high:.3f}]"
    text = f"{ratio} over the default, n = {rounds} new rounds of both"
    advice = [] if judged.verdict == FASTER else ["keep the default: the new runs show no gain"]
    return [f"gain: {text}: {judged.verdict}", *advice, *(f"note: {note}" for note in judged.notes)]


def _facts(space: Space, trials: Trials, best: int, judged: Judged | None) -> Mapping[str, object]:
    return {
        "best": space.settings[best],
        "trials": [
            {"setting": space.settings[number], "score": score} for number, score in trials.scores.items()
        ],
        "settings": len(space),
        "gain": judged.estimate.ratio() if judged and judged.estimate else None,
        "interval": judged.estimate.interval() if judged and judged.estimate else None,
        "verdict": judged.verdict if judged else None,
    }


def _replay(args: argparse.Namespace) -> int:
    """Search a table instead of a machine: the true optimum is known."""
    where = dict(_pair(text) for text in args.where)
    replay = read_replay(args.replay, args.move, where, args.value)
    budget = args.budget or BUDGET
    trials = search(replay.space, budget, args.seed, replay.score, args.search or "gp")
    best = winner(trials)
    if best is None:
        raise WeirError("no setting has a value", file=str(args.replay), key=args.value)
    column = columns().get(args.value)
    known = args.unit or (column.unit if column else "")
    unit = f" {known}" if known else ""
    found_unit = unit or " (unit unknown: --unit)"
    share = f"{replay.score(best) / replay.best:.1%} of the best setting of the table"
    found = f"{args.value} {three_digits(replay.score(best))}{found_unit}, {share}"
    lines = [
        f"best: {output.setting_text(replay.space.settings[best])}: {found}",
        f"{len(trials.scores)} of {len(replay.space)} settings in {args.replay}; {args.value}, best first:",
        *output.trials_text(replay.space, trials, unit),
        *output.not_tried(replay.space, trials),
    ]
    print("\n".join(lines))
    if args.json:
        args.json.write_text(
            json.dumps(_facts(replay.space, trials, best, None), indent=1) + "\n", encoding="utf-8"
        )
    return 0


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise WeirError("is not COLUMN=VALUE", key="--where", value=text, exit_code=2)
    return name, value
