"""weir predict: the I/O time of an application from measured cells, beside its measured time."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from weir.base.errors import InputError, WeirError, require_at_least
from weir.base.files import as_json
from weir.base.options import Parser
from weir.collect.table import read_whole_records
from weir.decide.compare.sides import records_file
from weir.decide.predict.application import (
    Application,
    application_in,
    measured_trial,
    read_application,
    trial_plan,
)
from weir.decide.predict.forecast import WIDEST, Forecast, facts_of, forecasts, lines_of, shown_target
from weir.decide.predict.probe import circumstances_of, probe
from weir.plan.config import load_config
from weir.plan.config.sources import Sources, add_config_dir, find_sources
from weir.prove.darshan import read_log
from weir.records.model import Row

NAME = "predict"
GROUP = "decide"
HELP = "predict the I/O time of an application on each target, from the records of a study"
EXAMPLE = "weir predict netcdf-climate --records results/local/nersc-ior/records.csv"


_MOST_REASONS = 3


def add_arguments(parser: Parser) -> None:
    parser.value("application", "APPLICATION", "a file, or the name of one in config/applications", nargs="?")
    parser.path("--darshan", "LOG", "in place of APPLICATION: the I/O that a log of Darshan has")
    parser.value(
        "--nodes", "N", "with --darshan: nodes of its processes, which a log lacks (default: 1)", type=int
    )
    parser.path(
        "--on",
        "PATH",
        "with --darshan: a path below the mount to predict (default: the mount with most bytes)",
    )
    parser.path("--records", "FILE", "records.csv of a study", required=True)
    parser.repeated("--target", "NAME", "target to predict; repeatable (default: all)")
    _add_choices(parser)
    add_config_dir(parser)
    parser.flag("--json", "print the same as JSON")


def _add_choices(parser: Parser) -> None:
    """Adds the options for a machine that has changed since the records were measured."""
    parser.flag(
        "--measure", "run cells with the parameters of each phase on the targets, to test the prediction"
    )
    parser.flag(
        "--probe", "measure cells behind the prediction again for about ten seconds, and scale it by them"
    )
    parser.flag("--as-measured", "predict for the load that the records were measured at, whatever it is now")
    parser.value("--site", "SITE", "with --measure: the site (default: that of config.yaml)")
    parser.value("--rounds", "N", "with --measure: runs of each cell (default: 6)", type=int, default=6)
    parser.path(
        "--results",
        "DIR",
        "with --measure: directory of the runs (default: results/SITE/predict-APPLICATION)",
    )


def execute(args: argparse.Namespace) -> int:
    sources = find_sources(args.config_dir)
    application = _application(args, sources)
    args.records = records_file(args.records)
    rows = read_whole_records(args.records)
    emulated = {row["target"] for row in rows if row.get("emulated")}
    known = {row["target"] for row in rows if row["target"]}
    targets = args.target or sorted(known, key=lambda target: (target in emulated, target))
    trial = _trial(args, application, targets) if args.measure else []
    found = {target: forecasts(application, rows, target, trial) for target in targets}
    if not any(one.predicted for each in found.values() for one in each):
        reasons = [
            f"{shown_target(target, each)} {one.phase.name}: {far}"
            for target, each in found.items()
            for one in each
            for far in one.far
        ]
        raise WeirError(
            "; ".join([f"no record fits a phase of {application.name}", *reasons[:_MOST_REASONS]]),
            file=args.records,
            hint="measure the suite nersc-ior, or cells with its interface, layout and order",
        )
    cells = {one.cell for each in found.values() for one in each}
    probed = probe(args.records, rows, found) if args.probe else None
    if probed:
        found = {target: [probed.scaled(target, one) for one in each] for target, each in found.items()}
    then = circumstances_of(args.records, [row for row in rows if row["cell"] in cells])
    if args.json:
        print(as_json({target: [facts_of(one) for one in each] for target, each in found.items()}))
    else:
        lines = [*lines_of(application, found), f"cells {then}", *([str(probed)] if probed else [])]
        print("\n".join(lines))
    if then.differ and not (args.measure or args.as_measured or args.probe):
        raise WeirError(
            f"the prediction does not hold for now: its cells were {then}",
            file=args.records,
            hint="scale it by ten seconds of measurement: --probe; or measure the phases: --measure; "
            "or take the hour of the records: --as-measured",
            exit_code=3,
        )
    if args.probe and not args.measure:
        _refuse_wide(args.records, found)
    return 0


def _refuse_wide(records: Path, found: dict[str, list[Forecast]]) -> None:
    """Refuses a forecast whose range is too wide to plan with, because the runs differ too much."""
    wide = [
        f"{shown_target(target, each)} {one.phase.name}"
        for target, each in found.items()
        for one in each
        if one.is_too_wide
    ]
    if wide:
        raise WeirError(
            f"high is over {WIDEST:g} times low for {', '.join(wide)}: runs of their cells differ too much",
            file=records,
            hint="probe again when the machine has less other work, or measure the phases: --measure",
            exit_code=3,
        )


def _application(args: argparse.Namespace, sources: Sources) -> Application:
    """Reads the application from one of its two forms."""
    if (args.application is None) == (args.darshan is None):
        hint = "weir predict checkpoint.yaml, or weir predict --darshan LOG"
        raise InputError("one application is needed", key="APPLICATION", hint=hint)
    if args.darshan is not None:
        return application_in(read_log(args.darshan), args.nodes or 1, args.on)
    for name, value in {"--nodes": args.nodes, "--on": args.on}.items():
        if value is not None:
            raise InputError("goes with --darshan alone", key=name)
    return read_application(sources.named_file("applications", args.application), sources.root)


def _trial(args: argparse.Namespace, application: Application, targets: Sequence[str]) -> list[Row]:
    """Records of the test. Targets of the records that the site lacks are not tested."""
    require_at_least("--rounds", args.rounds, 1, "1 or more, such as 6")
    chosen = {"site": args.site} if args.site else {}
    config = load_config(config_dir=args.config_dir, overrides=chosen)
    here = tuple(target for target in config.site.targets if target in targets)
    if not here:
        raise InputError(
            f"site {config.site.name} has none of the targets {', '.join(targets)}",
            key="--site",
            hint="name the site that the records are of",
        )
    plan = trial_plan(application, replace(config, targets=here), args.rounds)
    if not plan.cells:
        raise WeirError(
            f"no pattern of {application.name} can be measured at site {config.site.name}",
            hint="; ".join(plan.notes) or "weir plan lists nodes, processes and interfaces of the site",
        )
    results = args.results or Path("results") / config.site.name / f"predict-{application.name}"
    return measured_trial(plan, results.resolve())
