"""Slurm's srun, started inside an allocation that this process is already part of."""

import re
from collections.abc import Mapping, Sequence

from weir.site.launchers import Changes, Launcher, check_geometry, gives

# Variables of the outer job that srun reads as options and that would bend the inner step: the binding of the
# outer step, its geometry (srun's own options win over some only), and the step it believes to be in.
OUTER_STEP = (
    "SLURM_CPU_BIND",
    "SLURM_NTASKS",
    "SLURM_NPROCS",
    "SLURM_NNODES",
    "SLURM_NTASKS_PER_",
    "SLURM_CPUS_PER_TASK",
    "SRUN_CPUS_PER_TASK",
    "SLURM_DISTRIBUTION",
    "SLURM_EXACT",
    "SLURM_EXCLUSIVE",
    "SLURM_EXPORT_ENV",
    "SLURM_LABELIO",
    "SLURM_MPI_TYPE",
    "SLURM_STEP_",
    "SLURM_TASKS_PER_NODE",
    "SLURM_STEPID",
    "PMIX_",
    "PMI_",
    "OMPI_COMM_WORLD_",
)

# Messages of srun when not the program but the batch system failed.
NO_STEP = (
    "Unable to create step",
    "Cancelled pending job step",
    "Unable to contact slurm controller",
    "Unable to confirm allocation",
    "Node failure on",
    "Communication connection failure",
    "aborted before step completely launched",  # seen when a job is started again soon after a preemption
)

# Messages of slurmstepd about a step that was ended for no fault of its own; the job ends a moment later.
STEP_ENDED = re.compile(
    r"\*\*\* STEP .* CANCELLED AT .* DUE TO (TIME LIMIT|PREEMPTION|NODE FAILURE|JOB REQUEUE)"
)


def command(nodes: int, ppn: int, options: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """srun with the whole geometry: nodes, tasks, tasks per node; Slurm guesses whatever is missing.

    The variables in `environment` reach the ranks because srun exports all of its own. The defaults give way
    to the site's options.
    """
    check_geometry(nodes, ppn)
    arguments = ["srun", f"--nodes={nodes}", f"--ntasks={nodes * ppn}", f"--ntasks-per-node={ppn}"]
    arguments.append("--overlap")  # weir itself may run inside a step that holds the allocation's resources
    arguments.append("--export=ALL")
    arguments.append("--input=none")  # srun would eat the standard input of whoever called weir
    if not gives(options, "--kill-on-bad-exit", "-K"):
        arguments.append("--kill-on-bad-exit=1")  # else the others wait in MPI for a dead rank
    if not gives(options, "--distribution", "-m"):
        arguments.append("--distribution=block")  # rank r on node r // ppn, as mpirun places them
    if not gives(options, "--mpi"):
        arguments.append("--mpi=pmix")  # without it an Open MPI program starts as N programs of one rank
    return arguments + list(options)


def environment(inherited: Mapping[str, str]) -> Changes:
    """Take away what the outer job or step would add to the inner srun's options."""
    return {name: None for name in inherited if name.startswith(OUTER_STEP)}


def lost(stderr: str) -> str | None:
    """Slurm's message about a step that it did not start, lost together with a node, or ended."""
    for line in map(str.strip, stderr.splitlines()):
        if (line.startswith("srun: ") and any(map(line.count, NO_STEP))) or STEP_ENDED.search(line):
            return line
    return None


LAUNCHER = Launcher(command=command, environment=environment, lost=lost, allocates=True)
