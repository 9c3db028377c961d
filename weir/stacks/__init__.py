"""What a stack really holds: probed from the files of its programs, never believed from their names."""

from __future__ import annotations

from weir.stacks.model import IoLibrary, MpiLibrary, ProgramFacts, StackFacts
from weir.stacks.probe import features_here, launcher_of, probe_stack
from weir.stacks.verdict import features, problems, remarks

__all__ = [
    "IoLibrary",
    "MpiLibrary",
    "ProgramFacts",
    "StackFacts",
    "features",
    "features_here",
    "launcher_of",
    "probe_stack",
    "problems",
    "remarks",
]
