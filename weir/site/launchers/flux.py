"""Flux's own launcher, `flux run`, inside of a job of Flux."""

from collections.abc import Mapping, Sequence

from weir.site.launchers import Changes, Launcher, check_geometry


def command(nodes: int, ppn: int, options: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """flux run --nodes=N --tasks-per-node=PPN OPTIONS; it passes its whole environment on to every rank."""
    check_geometry(nodes, ppn)
    return ["flux", "run", f"--nodes={nodes}", f"--tasks-per-node={ppn}", *options]


def environment(inherited: Mapping[str, str]) -> Changes:
    """Variables of an outer launch would make every rank believe to be part of it."""
    return {name: None for name in inherited if name.startswith(("PMI_", "PMIX_", "OMPI_COMM_WORLD_"))}


LAUNCHER = Launcher(command=command, environment=environment)
