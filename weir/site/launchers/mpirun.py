"""Open MPI's mpirun, on one machine or inside an allocation."""

import os.path
from collections.abc import Mapping, Sequence

from weir.site.launchers import Changes, Launcher, check_geometry, gives

# Messages of mpirun when not the program but a node has failed, or a daemon of its own; or when the job is
# over and its file of nodes was removed. Open MPI 5 starts ranks by PRRTE, earlier ones by ORTE.
DAEMON_LOST = (
    "ORTE has lost communication with a remote daemon",
    "PRTE has lost communication with a remote daemon",
    "ORTE was unable to reliably start one or more daemons",
    "PRTE was unable to reliably start one or more daemons",
    "An ORTE daemon has unexpectedly failed after launch",
    "An PRTE daemon has unexpectedly failed after launch",
    "Open RTE was unable to open the hostfile",
    "PRTE was unable to open the hostfile",
)
_OF_OUTER_STEP = ("SLURM_CPU_BIND", "PMIX_", "PMI_", "OMPI_COMM_WORLD_")


def command(nodes: int, ppn: int, options: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """mpirun -np N --map-by ppr:PPN:node OPTIONS -x NAME...; the mapping refuses a count that misfits."""
    check_geometry(nodes, ppn)
    arguments = ["mpirun", "-np", str(nodes * ppn)]
    if not gives(options, "--map-by", "-map-by"):
        arguments += ["--map-by", f"ppr:{ppn}:node"]
    arguments += options
    # mpirun passes on its own variables; others reach ranks on other nodes only when they are named.
    for name in sorted(environment):
        if not name.startswith(("OMPI_", "PRTE_")):
            arguments += ["-x", name]
    return arguments


def environment(inherited: Mapping[str, str]) -> Changes:
    """Inside an allocation mpirun starts its daemons by srun, and so falls into the traps of a nested srun.

    A CPU binding of the outer step would pin all ranks of a node to the cores of that step, and without
    overlap the daemons wait for resources that the outer step holds. PMI variables of an outer step make
    every rank believe it is part of that step. Nodes and slots are those of the allocation, not of the step.
    Open MPI 5 starts nothing without HOME.
    """
    changes: Changes = {name: None for name in inherited if name.startswith(_OF_OUTER_STEP)}
    if "HOME" not in inherited:
        changes["HOME"] = os.path.expanduser("~").replace("~", "/")
    if "SLURM_JOB_ID" in inherited:
        changes["SLURM_OVERLAP"] = "1"
    for ours, theirs in (("NODELIST", "JOB_NODELIST"), ("TASKS_PER_NODE", "JOB_CPUS_PER_NODE")):
        if f"SLURM_{theirs}" in inherited:
            changes[f"SLURM_{ours}"] = inherited[f"SLURM_{theirs}"]
    return changes


def lost(stderr: str) -> str | None:
    """Open MPI's message about nodes that it does not know, could not reach, or lost."""
    return next((line for line in stderr.splitlines() if line.startswith(DAEMON_LOST)), None)


LAUNCHER = Launcher(command=command, environment=environment, lost=lost, starts_here=True)
