"""weir bundle: a study with its raw outputs, plan and code as one file."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from weir.base.errors import InputError, visible
from weir.base.files import as_json
from weir.base.options import Parser
from weir.base.units import counted
from weir.plan.config.sites import home_directory
from weir.plan.config.sources import find_sources
from weir.report.bundle.pack import pack
from weir.report.bundle.source import StudySource

NAME = "bundle"
GROUP = "publish"
HELP = "write a study with raw outputs, plan, code and checksums into one file, without private names"
EXAMPLE = "weir bundle results/local/quick --out quick.crate.zip"


def add_arguments(parser: Parser) -> None:
    parser.path("study", "STUDY", "directory of the study, with SHA256SUMS")
    parser.path("--out", "FILE", "the bundle; by default the study's name and .crate.zip")
    parser.flag("--no-figures", "leave figures and tables to weir reproduce")
    parser.repeated(
        "--without",
        "TEXT",
        "replace this text everywhere, or the value of this variable of your shell; may be repeated",
    )
    parser.flag("--list", "print what would be replaced, and write nothing")
    parser.flag("--json", "print what it holds as JSON")


def execute(args: argparse.Namespace) -> int:
    if "" in args.without:
        hint = "name a text, or a variable that is set"
        raise InputError("is empty: it stands between all characters", key="--without", hint=hint)
    out = args.out or Path(f"{args.study.resolve().name}.crate.zip")
    root = find_sources(start=args.study).root
    if args.list:
        source = StudySource.of(args.study.resolve(), root, home_directory(), os.environ, args.without)
        _print_replaced(source, args.without)
        return 0
    held = pack(
        args.study,
        out,
        root,
        figures=not args.no_figures,
        shell=os.environ,
        without=args.without,
        announce=lambda source: None if args.json else _print_replaced(source, args.without),
    )
    figures = "with figures and tables" if held["figures"] else "without figures"
    text = f"{out}: {counted(held['files'], 'file')}, {figures}\ndigest {held['digest']}"
    print(as_json(held) if args.json else text)
    return 0


def _print_replaced(source: StudySource, without: Sequence[str]) -> None:
    """Prints what the author should know before the file is there."""
    print("replaced: values in these places; directories and user names everywhere")
    for place, names in source.replaced():
        print(f"  {place}: {names}")
    print("kept, read it before you publish: host names, suites, and")
    for place, text in source.kept_values(without):
        print(f"  {place}: {visible(text)}")
    print(
        "--without TEXT replaces a text everywhere; publish: [NAME] in the site's file keeps a value",
        flush=True,
    )
