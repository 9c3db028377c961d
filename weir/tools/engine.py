"""weir-io among the arguments of a stack's program, and what every tool that it can run has in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from weir.base.files import from_json
from weir.terms.model import Cell, Row
from weir.tools.base import Tool
from weir.tools.outputs import read_text
from weir.tools.weir_io import sound_results

PROGRAM = "weir-io"
_RANKS_FILE = "ranks.json"


def engine_of(program: Sequence[str]) -> tuple[str, ...]:
    """The arguments up to weir-io: itself alone, or what starts it (such as a container) and itself.

    Empty for another program. What follows is a personality such as `ior`; without one, no cell is run.
    """
    at = max((at for at, word in enumerate(program) if PurePath(word).name == PROGRAM), default=len(program))
    return tuple(program[: at + 1]) if at + 1 < len(program) else ()


def is_engine(program: Sequence[str]) -> bool:
    """Whether the program is weir-io."""
    return any(PurePath(word).name == PROGRAM for word in program)


def program_name(program: Sequence[str]) -> str:
    """The program that a command starts, such as ior; what starts it, such as a container, comes before."""
    return PROGRAM if is_engine(program) else PurePath(program[-1]).name


def shared_engine(tool: Tool, cell: Cell, program: Sequence[str]) -> tuple[str, ...]:
    """The command of weir-io, if it can run the cell beside others in one launch. It is empty if the cell has
    a launch of its own: for another program, for variables of its own, or for a tab in a value, which
    separates arguments in the list of a shared launch."""
    plain = not any(
        mark in value for value in cell.params.values() if isinstance(value, str) for mark in "\t\n"
    )
    return engine_of(program) if plain and not tool.environment(cell) else ()


class EngineTool(Tool):
    """A tool that is a personality of weir-io; the original of it may run the same cells."""

    def comparable(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """The write: originals cannot drop caches before the read that follows it."""
        if not params.get("drop_caches") or "write" not in params["access"]:
            return params
        without = {name: False for name in ("drop_caches", "read_again") if name in params}
        return {**params, **without, "access": ["write"]}

    def ranks_command(self, program: Sequence[str], outputs: Path) -> list[str] | None:
        """The null back end with one transfer: the personality that every weir-io has."""
        engine = engine_of(program)
        if not engine:
            return None
        arguments = [*engine, "ior", "-a", "NULL", "-w", "-t", "8", "-b", "8", "-o", "ranks"]
        return [*arguments, f"--json={outputs / _RANKS_FILE}"]

    def ranks_started(self, outputs: Path) -> list[int]:
        try:
            return list(
                from_json((outputs / _RANKS_FILE).read_text(encoding="utf-8"))["job"]["ranks_per_host"]
            )
        except (OSError, ValueError, KeyError, TypeError):
            return []


class EngineOnlyTool(EngineTool):
    """A tool whose cells weir-io alone can run; outputs of the original are read by weir import."""

    def unsupported(self, cell: Cell, program: Sequence[str]) -> str | None:
        if is_engine(program):
            return None
        return f"'{' '.join(program)}' does not print what a record needs: use [weir-io, {self.name}]"


def latency_buckets(outputs: Mapping[str, Path]) -> Iterator[Row]:
    """The histograms in a document of weir-io; nothing if there is none."""
    summary = outputs.get("summary")
    text = read_text(summary) if summary and summary.is_file() else ""
    for result in sound_results(text):
        place: Row = {"access": result.get("access"), "iteration": result.get("iteration", 0)}
        for upper_us, count in (result.get("latency") or {}).get("buckets") or ():
            yield place | {"upper_us": upper_us, "count": count}
