"""Where weir-io stands among the words of a stack's program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

NAME = "weir-io"


def engine_of(program: Sequence[str]) -> tuple[str, ...]:
    """The words up to weir-io: itself alone, or what starts it (a container, say) and itself.

    Empty for another program. What follows is a personality such as `ior`; without one, no cell is run.
    """
    at = max((at for at, word in enumerate(program) if PurePath(word).name == NAME), default=len(program))
    return tuple(program[: at + 1]) if at + 1 < len(program) else ()
