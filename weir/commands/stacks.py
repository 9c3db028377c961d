"""weir stacks: what the stacks of a site contain, and what is wrong with them."""

import argparse
from dataclasses import asdict
from pathlib import Path

from weir.base.errors import InputError, did_you_mean
from weir.base.files import as_json
from weir.base.options import Parser
from weir.base.units import counted
from weir.plan.config.sites import load_site
from weir.plan.config.sources import add_config_dir, find_sources
from weir.records.model import Stack
from weir.site.stacks.probe import launcher_of, probe_stack, stack_of_prefix
from weir.site.stacks.verdict import StackFacts, features, problems, remarks

NAME = "stacks"
GROUP = "measure"
HELP = "probe the stacks of a site: MPI, HDF5, NetCDF, IME, and whether they fit together"
EXAMPLE = "weir stacks --site local"


def add_arguments(parser: Parser) -> None:
    add_config_dir(parser)
    parser.value("--site", "SITE", "directory of config/sites, default local", default="local")
    parser.repeated("--stack", "STACK", "probe this stack only; may be repeated")
    parser.repeated(
        "--prefix",
        "PREFIX",
        "probe an installed prefix, such as a view of Spack, instead of a site; may be repeated",
        type=Path,
    )
    parser.flag("--json", "print the facts as JSON")


def execute(args: argparse.Namespace) -> int:
    wanted = [stack_of_prefix(prefix) for prefix in args.prefix] or _stacks_of_site(args)
    found = [probe_stack(stack, launcher) for stack, launcher in wanted]
    if args.json:
        print(as_json([_facts(stack) for stack in found]))
    else:
        bad = [stack.name for stack in found if problems(stack)]
        many = counted(len(found), "stack")
        print(f"{many}: {'PROBLEM in ' + ', '.join(bad) if bad else 'no problem'}\n")
        print("\n\n".join(describe(stack) for stack in found))
    return 1 if any(problems(stack) for stack in found) else 0


def describe(stack: StackFacts) -> str:
    """Describes a stack for people: what is there, then what is missing, then what is wrong."""
    lines = [f"{stack.name}: {stack.description}"]
    lines += [_line(program.tool, program.path) for program in stack.programs]
    lines += [
        _line("MPI", f"{mpi.family} {mpi.version}{', MPI-IO with IME' if mpi.ime else ''} ({mpi.path})")
        for mpi in stack.mpis
    ]
    lines += [_line("launcher", stack.launcher or "none")]
    lines += [
        _line(one.name, f"{one.version}, {'parallel' if one.parallel else 'serial'} ({one.path})")
        for one in stack.libraries
    ]
    clients = {program.ime_client for program in stack.programs} - {""}
    lines += [_line("IME", f"natively through {client}") for client in sorted(clients)]
    backends = {name: None for program in stack.programs for name in program.backends}
    lines += [_line("back ends", ", ".join(backends))] if backends else []
    lines += [_line("features", ", ".join(features(stack)))]
    lines += [f"  note: {sentence}" for sentence in remarks(stack)]
    lines += [f"  PROBLEM: {sentence}" for sentence in problems(stack)]
    return "\n".join(lines)


def _line(label: str, text: str) -> str:
    return f"  {label:12} {text}"


def _stacks_of_site(args: argparse.Namespace) -> list[tuple[Stack, str]]:
    site, _ = load_site(find_sources(args.config_dir), args.site)
    for name in args.stack:
        if name not in site.stacks:
            raise InputError(
                f"site '{site.name}' has no stack '{name}'",
                key="--stack",
                hint=did_you_mean(name, site.stacks),
            )
    names = args.stack or list(site.stacks)
    return [(site.stacks[name], launcher_of(site, name)) for name in names]


def _facts(stack: StackFacts) -> dict[str, object]:
    return {
        **asdict(stack),
        "features": features(stack),
        "remarks": remarks(stack),
        "problems": problems(stack),
    }
