"""The entry of the Snakefile before its first rule: configuration(), then begin()."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir.base.plugins import require_docstrings, unusable_package
from weir.workflow.code import configuration_of
from weir.workflow.takeover import note_temporary

if TYPE_CHECKING:
    from weir.workflow.rules import Workflow

# Each has its own way to name the Python of a job.
_EXECUTORS = (
    ("snakemake_interface_executor_plugins.executors.remote", "RemoteExecutor"),
    ("snakemake_executor_plugin_slurm_jobstep", "Executor"),
)


def configuration(workflow: Any) -> str:
    """The file for `configfile:`. Called before all that takes time: a kill from here on leaves no directory
    that the next start does not find."""
    note_temporary(Path(".snakemake"), workflow.snakemake_tmp_dir)
    return configuration_of(workflow)


def begin(workflow: Any, config: Mapping[str, Any]) -> Workflow:
    """Prepares the objects that the rules are made of."""
    require_docstrings()
    quote_the_interpreter()
    try:
        from weir.workflow.rules import prepared  # half of weir, which takes a while to load

        return prepared(workflow, config)
    except (AttributeError, ImportError) as error:
        if (unusable := unusable_package(error)) is None:
            raise
        raise unusable from None


def quote_the_interpreter() -> None:
    """Jobs of a batch system start from a checkout with spaces in its path, too: Snakemake writes the path of
    its Python into a command of the shell as it is."""
    for module, name in _EXECUTORS:
        executor = getattr(sys.modules.get(module), name, None)
        if executor is not None and not hasattr(executor.get_python_executable, "of_weir"):
            executor.get_python_executable = _quoted(executor.get_python_executable)


def _quoted(ask: Callable[[Any], str]) -> Callable[[Any], str]:
    def quoted(executor: Any) -> str:
        return shlex.quote(ask(executor))

    quoted.of_weir = True  # type: ignore[attr-defined]
    return quoted
