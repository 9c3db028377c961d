"""MPICH's Hydra (mpiexec.hydra), also of MVAPICH and Intel MPI, on one machine or inside an allocation."""

from collections.abc import Mapping, Sequence

from weir.site.launchers import Changes, Launcher, check_geometry, gives


def command(nodes: int, ppn: int, options: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """mpiexec.hydra -n N -ppn PPN OPTIONS; Hydra passes its whole environment on to every rank."""
    check_geometry(nodes, ppn)
    arguments = ["mpiexec.hydra", "-n", str(nodes * ppn)]
    if not gives(options, "-ppn"):
        arguments += ["-ppn", str(ppn)]
    return [*arguments, *options]


def environment(inherited: Mapping[str, str]) -> Changes:
    """PMI variables of an outer step would make every rank believe to be part of that step."""
    return {name: None for name in inherited if name.startswith(("PMI_", "PMIX_", "SLURM_CPU_BIND"))}


def lost(stderr: str) -> str | None:
    """The batch system removes the file of nodes when the job is over."""
    return next((line for line in stderr.splitlines() if "unable to open host file" in line), None)


LAUNCHER = Launcher(command=command, environment=environment, lost=lost, starts_here=True)
