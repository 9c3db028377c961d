"""The entry of the Snakefile before its first rule: configuration(), then begin()."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir.workflow.code import configuration_of
from weir.workflow.takeover import note_temporary

if TYPE_CHECKING:
    from weir.workflow.rules import Workflow


def configuration(workflow: Any) -> str:
    """The file for `configfile:`. Called before all that takes time: a kill from here on leaves no directory
    that the next start does not find."""
    note_temporary(Path(".snakemake"), workflow.snakemake_tmp_dir)
    return configuration_of(workflow)


def begin(workflow: Any, config: Mapping[str, Any]) -> Workflow:
    """Prepares the objects that the rules are made of."""
    from weir.workflow.rules import prepared  # half of weir, which takes a while to load

    return prepared(workflow, config)
