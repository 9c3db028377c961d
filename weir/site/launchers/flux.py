"""Flux's own launcher, `flux run`, inside of a job of Flux."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weir.site.launchers import Launcher


def arguments(nodes: int, ppn: int, options: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """flux run --nodes=N --tasks-per-node=PPN OPTIONS; it passes its whole environment on to every rank."""
    return ["flux", "run", f"--nodes={nodes}", f"--tasks-per-node={ppn}", *options]


# Variables of an outer launch would make every rank believe to be part of it.
LAUNCHER = Launcher(arguments, outer=("PMI_", "PMIX_", "OMPI_COMM_WORLD_"))
