"""Settings as people use them: options of the tool, lfs setstripe, a file of ROMIO hints."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from weir.base.units import format_size, three_digits
from weir.decide.tune.search import Setting, Space, Trials
from weir.terms.model import Cell, Target
from weir.tools import tools
from weir.tools.base import RunPaths

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
    yield f"options:  {shlex.join(arguments)}    ({cell.nodes} nodes, {cell.ppn} processes each)"
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
        yield f"  and {len(usable) - 5} slower settings"


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
