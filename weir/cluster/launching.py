"""The environment in which a launcher finds the nodes of the job around it."""

from __future__ import annotations

import os

from weir.launch import launcher
from weir.launch.base import Changes
from weir.schedulers import surrounding


def launch_changes(name: str) -> Changes:
    """Changes of the launcher, and what the batch system tells an MPI that does not know better."""
    system = surrounding(os.environ)
    told = system.mpi(os.environ) if system else {}
    own = launcher(name).environment(os.environ)
    return {key: value for key, value in told.items() if key not in os.environ} | own
