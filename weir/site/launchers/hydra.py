"""MPICH's Hydra (mpiexec.hydra), also of MVAPICH and Intel MPI, on one machine or inside an allocation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weir.site.launchers import Launcher, gives

# PMI variables of an outer step would make every rank believe to be part of that step.
_OUTER = ("PMI_", "PMIX_", "SLURM_CPU_BIND")


def arguments(nodes: int, ppn: int, options: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """mpiexec.hydra -n N -ppn PPN OPTIONS; Hydra passes its whole environment on to every rank."""
    placed = [] if gives(options, "-ppn") else ["-ppn", str(ppn)]
    return ["mpiexec.hydra", "-n", str(nodes * ppn), *placed, *options]


def lost(stderr: str) -> str | None:
    """The batch system removes the file of nodes when the job is over."""
    return next((line for line in stderr.splitlines() if "unable to open host file" in line), None)


LAUNCHER = Launcher(arguments, _OUTER, lost=lost, starts_here=True)
