"""Starts the probe once on each node, as programs are started there."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Sequence

from weir.base.errors import WeirError
from weir.measure.nodes.nodes import Probe, read_probes
from weir.site.launchers import launcher, start_of
from weir.terms.model import Stack

_LIMIT_S = 600.0


def probe_nodes(
    starter: str,
    stack: Stack,
    nodes: int,
    folder: Sequence[str] = (),
    scheduler_options: Sequence[str] | None = None,
) -> list[Probe]:
    """Probe this many nodes; scheduler_options are needed outside of an allocation only."""
    start = start_of(starter, nodes, 1, stack.launcher_options, {})
    command = start.command
    if scheduler_options is not None:
        if not launcher(starter).allocates:
            raise WeirError(
                f"{starter} requests no nodes",
                hint="start weir nodes inside of a job, for example an interactive one",
            )
        # There is no outer step to overlap with, and a job of its own may ask for whole nodes.
        command = [each for each in command if each != "--overlap"] + list(scheduler_options)
    command += [sys.executable, "-m", "weir.measure.nodes.probe", *folder]
    environment = {**start.environment, **stack.environment}
    try:
        ended = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WeirError(f"the probes did not run: {error}", hint="it runs where the launcher does") from None
    probes = read_probes(ended.stdout)
    if len(probes) != nodes:
        messages = ended.stderr.strip().splitlines()
        raise WeirError(
            f"{len(probes)} of {nodes} nodes answered: {messages[0] if messages else 'no message'}",
            hint=f"check launcher_options and scheduler_options in site.yaml; command: {shlex.join(command)}",
        )
    return probes
