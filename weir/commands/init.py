"""weir init: a study directory with workflow and configuration, outside of a checkout."""

import argparse
import json
import os
import re
import shutil
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from weir.base.errors import InputError, WeirError
from weir.base.options import Parser
from weir.base.plugins import install_hint
from weir.data import STUDY_PARTS, data_folder
from weir.witness.document import LIBRARY_NAME, library_folders

NAME = "init"
GROUP = "measure"
HELP = "create a study directory with the workflow, the configuration and the analysis"
EXAMPLE = "weir init my-study && cd my-study && snakemake --cores all"
ENGINE = "weir-io"
EMULATOR = ("imectl", "ime-fuse")
_EXTRAS = {"snakemake": "workflow", "reframe": "reframe"}
_LIBRARIES = ("libweir-pool.so", LIBRARY_NAME)
_UNWANTED = shutil.ignore_patterns("__pycache__", "*.pyc", "tests")
_HINT = (
    "put it on the PATH (spack load weir-io), or name it: --engine /path/to/weir-io; a checkout of weir"
    " builds it by `make build`"
)


def add_arguments(parser: Parser) -> None:
    parser.path("folder", "DIR", "new directory of the study")
    text = f"path of {ENGINE} (default: from the PATH, or from the checkout of weir)"
    parser.path("--engine", "FILE", text)
    parser.flag("--json", "print what was created, and what is missing, as JSON")


def execute(args: argparse.Namespace) -> int:
    folder: Path = args.folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError("is not an empty directory", file=folder, hint="name a new one")
    engine = find_engine(args.engine)
    existed = folder.exists()
    try:
        _fill(folder, engine)
    except BaseException:  # half a study would refuse the next attempt
        for part in folder.glob("*") if existed else [folder]:
            shutil.rmtree(part, ignore_errors=True) if part.is_dir() else part.unlink(missing_ok=True)
        raise
    lacks = [name for name in ("snakemake", "reframe", "Rscript", "latexmk") if not shutil.which(name)]
    if args.json:
        print(json.dumps({"folder": str(folder), "engine": str(engine) if engine else None, "lacks": lacks}))
    else:
        _report(folder, engine, lacks)
    return 0


def _fill(folder: Path, engine: Path | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for part in STUDY_PARTS:
        _copy(data_folder(part), folder / part)
    if engine:
        link_engine(engine, folder / "build")


def _report(folder: Path, engine: Path | None, lacks: list[str]) -> None:
    print(f"{folder}: measure and print with: cd {folder} && snakemake --cores all")
    print("config/config.yaml selects what is measured; weir plan prints its cost")
    if not engine:
        print(f"{ENGINE} was not found; {_HINT}")
    if lacks:
        print(f"not on the PATH: {', '.join(lacks)}; `spack install weir` brings them, or")
        print("\n".join(f"  {line}" for line in _how_to_get(lacks)))


def _how_to_get(lacks: Sequence[str]) -> Iterator[str]:
    """Hints on how to get the programs without Spack."""
    extras = [_EXTRAS[name] for name in lacks if name in _EXTRAS]
    if extras:
        yield install_hint(*extras)
    others = [name for name in lacks if name not in _EXTRAS]
    if others:
        yield f"{', '.join(others)}: R and LaTeX of the system; a checkout lists their packages in envs/apt"


def find_engine(given: Path | None) -> Path | None:
    """The engine: the one given, else of the checkout, else of the PATH."""
    if given:
        if not os.access(given, os.X_OK) or given.is_dir():
            raise InputError("is not a program", key="--engine", value=str(given), hint=_HINT)
        return given.resolve()
    built = data_folder("Snakefile").resolve().parent / "build" / ENGINE
    found = shutil.which(ENGINE)
    return built if built.is_file() else Path(found).resolve() if found else None


def link_engine(engine: Path, build: Path) -> None:
    """Links where the shipped sites look for programs: in build/, laid out as a build of the checkout."""
    (build / "ime").mkdir(parents=True)
    (build / ENGINE).symlink_to(engine)
    for name in EMULATOR:
        beside, path = engine.parent / "ime" / name, shutil.which(name)
        program = beside if beside.is_file() else Path(path).resolve() if path else None
        if program:
            (build / "ime" / name).symlink_to(program)
    for name in _LIBRARIES:
        for place in library_folders(engine):
            if (place / name).is_file() and not (build / name).is_symlink():
                (build / name).symlink_to(place / name)


def _copy(source: Path, goal: Path) -> None:
    if source.is_dir():
        try:
            shutil.copytree(source, goal, ignore=_UNWANTED)
        except shutil.Error as error:  # a list with an entry for each file
            _, file, reason = error.args[0][0]
            reason = re.sub(r"^\[Errno \d+\] |: '.*", "", reason)
            raise WeirError(
                f"cannot be copied: {reason}", file=file, hint="make room, or name another directory"
            ) from None
    else:
        shutil.copy(source, goal)
    # The study is edited; what it is copied from may be read-only, as the prefix of a centre's weir.
    for part in (goal, *goal.rglob("*")):
        part.chmod(part.stat().st_mode | stat.S_IWUSR)
