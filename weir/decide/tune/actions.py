"""Runs weir tune: finds the best setting, its gain and how to use it: options of the tool, lfs setstripe,
a file of ROMIO hints."""

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from weir.base.errors import InputError, WeirError
from weir.base.files import as_json
from weir.base.units import counted, format_size, percent, three_digits
from weir.decide.compare.verdict import FASTER, JudgedPair
from weir.decide.tune.measured import Machine, candidates_of, known_suite, objective_of, read_replay
from weir.decide.tune.search import Setting, Space, Trials, run, winner
from weir.plan import make_plan
from weir.plan.config import load_config
from weir.records.columns import columns
from weir.records.model import Cell, Target
from weir.tools import tools
from weir.tools.base import RunPaths

BUDGET, CONFIRM_ROUNDS = 20, 6
_UNIT = "MiB/s"  # of each objective


def tune(args: argparse.Namespace) -> int:
    return _replay(args) if args.replay else _live(args)


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
    _tell(f"{counted(len(space), 'setting')}, {budget} to measure: {machine.objective.name}")

    def measure(number: int) -> float | None:
        score = machine.score(cells[number])
        shown = f"{three_digits(score)} {_UNIT}" if score is not None else "no score"
        _tell(f"  {setting_text(space.settings[number])}: {shown}")
        return score

    method = args.search or settings.get("search", "gp")
    trials = run(space, budget, args.seed, measure, method)
    best = winner(trials)
    refused = [f"no score: {point}: {reason}" for point, reason in machine.refused.items()]
    if best is None:
        _tell(*refused)
        raise WeirError("no setting has a VALID result", hint="the lines above have the reasons")
    judged = None
    if best != candidates.default:
        rounds = settings.get("confirm_rounds", CONFIRM_ROUNDS)
        judged = machine.compared(cells[candidates.default], cells[best], rounds)
    rate = f"{three_digits(trials.usable[best])} {_UNIT} ({machine.objective.name})"
    target = plan.site.targets[cells[best].target]
    lines = [f"best: {setting_text(space.settings[best])}: {rate}", *_gain(judged)]
    lines += [*_reserved(target.emulated), *as_used(cells[best], target)]
    lines += [*not_tried(space, trials), f"excluded by the suite or the site: {candidates.elsewhere}"]
    lines += refused
    if args.hints and (text := hints_file(cells[best])):
        args.hints.write_text(text, encoding="utf-8")
    if args.json:
        found = _facts(space, trials, best, judged, target.emulated)
        args.json.write_text(as_json(found) + "\n", encoding="utf-8")
    print("\n".join(lines))  # after the files: a reader that has gone must not cost what was measured
    return 0


def _tell(*lines: str) -> None:
    """Tells the progress of a search that takes hours; the answer alone is on the standard output."""
    for line in lines:
        print(line, file=sys.stderr, flush=True)


def _gain(judged: JudgedPair | None) -> list[str]:
    if judged is None:
        return ["gain: none, the default is the best of those measured"]
    if judged.estimate is None:
        return ["gain: unknown, not all new runs are VALID"]
    rounds = min(judged.estimate.rounds)
    text = f"{judged.estimate} over the default, n = {rounds} new rounds of both"
    advice = [] if judged.verdict == FASTER else ["keep the default: the new runs show no gain"]
    return [f"gain: {text}: {judged.verdict}", *advice, *(f"note: {note}" for note in judged.notes)]


def _reserved(emulated: bool) -> list[str]:
    return ["note: (E): emulated storage, which tests the method, not a product"] if emulated else []


def _facts(
    space: Space, trials: Trials, best: int, judged: JudgedPair | None, emulated: bool
) -> Mapping[str, object]:
    return {
        "best": space.settings[best],
        "emulated": emulated,
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
    trials = run(replay.space, budget, args.seed, replay.score, args.search or "gp")
    best = winner(trials)
    if best is None:
        raise WeirError("no setting has a value", file=args.replay, key=args.value)
    column = columns().get(args.value)
    known = args.unit or (column.unit if column else "")
    unit = f" {known}" if known else ""
    found_unit = unit or " (unit unknown: --unit)"
    share = f"{percent(replay.score(best) / replay.best, 1)}% of the best setting of the table"
    found = f"{args.value} {three_digits(replay.score(best))}{found_unit}, {share}"
    lines = [
        f"best: {setting_text(replay.space.settings[best])}: {found}",
        *_reserved(replay.emulated),
        f"{len(trials.scores)} of {len(replay.space)} settings in {args.replay}; {args.value}, best first:",
        *trials_text(replay.space, trials, unit),
        *not_tried(replay.space, trials),
    ]
    print("\n".join(lines))
    if args.json:
        facts = _facts(replay.space, trials, best, None, replay.emulated)
        args.json.write_text(as_json(facts) + "\n", encoding="utf-8")
    return 0


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError("is not COLUMN=VALUE", key="--where", value=text)
    return name, value


_DATA = "FILE"


def setting_text(setting: Setting) -> str:
    return ", ".join(f"{name} {_value_text(name, value)}" for name, value in setting.items())


def _value_text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return " ".join(f"{key}={item}" for key, item in value.items()) or "none"
    sized = isinstance(value, int) and name.removesuffix("_bytes") in ("xfer", "block")
    return format_size(int(str(value))) if sized else str(value)


def as_used(cell: Cell, target: Target) -> Iterator[str]:
    """The winner as command line, stripes and hints."""
    tool = tools()[cell.tool]
    program = tool.programs[-1]  # the original
    arguments = tool.command(cell, target, program, RunPaths(_DATA, Path("OUT")))
    arguments = [word for at, word in enumerate(arguments) if not _about_outputs(arguments, at)]
    size = f"{counted(cell.nodes, 'node')}, {counted(cell.ppn, 'process')} each"
    yield f"options:  {shlex.join(arguments)}    ({size})"
    if count := cell.params.get("stripe_count"):
        yield f"stripes:  lfs setstripe -c {count} DIRECTORY"
    if hints := hints_file(cell):
        yield "hints:    ROMIO_HINTS=FILE with the lines"
        yield from (f"            {line}" for line in hints.splitlines())


def hints_file(cell: Cell) -> str:
    """The contents of the file that ROMIO_HINTS names, which ROMIO reads; empty without hints."""
    hints = cell.params.get("hints") or {}
    return "".join(f"{name} {value}\n" for name, value in sorted(hints.items()))


def _about_outputs(arguments: list[str], at: int) -> bool:
    """Options with the path of weir's summary."""
    here = arguments[at].startswith(("summaryFile=", "summaryFormat="))
    following = arguments[at + 1] if at + 1 < len(arguments) else ""
    return here or (arguments[at] == "-O" and following.startswith(("summaryFile=", "summaryFormat=")))


def trials_text(space: Space, trials: Trials, unit: str) -> Iterator[str]:
    """Best first."""
    usable = sorted(trials.usable.items(), key=lambda item: -item[1])
    for number, score in usable[:5]:
        yield f"  {three_digits(score):>12}{unit}  {setting_text(space.settings[number])}"
    if len(usable) > 5:
        yield f"  and {counted(len(usable) - 5, 'slower setting')}"


def not_tried(space: Space, trials: Trials) -> Iterator[str]:
    """Number of settings that were not measured, and values that were never measured."""
    left = len(space) - len(trials.scores)
    yield f"not tried: {left} of {len(space)} settings"
    for name in space.names:
        tried = [space.settings[number][name] for number in trials.scores]
        missing = []
        for setting in space.settings:
            if setting[name] not in tried and setting[name] not in missing:
                missing.append(setting[name])
        if missing:
            yield f"  never with {name} {', '.join(_value_text(name, value) for value in missing)}"
