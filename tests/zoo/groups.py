"""Limits that the ranks have alone: of control groups (srun, containers), and of processors."""

from tests.zoo.animals import ONE_PROCESSOR, RANKS_LIMITED, RANKS_THROTTLED, Animal

GROUPS = (
    Animal(
        "throttled ranks",
        "the launcher gives the ranks a control group of their own with a tenth of a core",
        "write",
        ("machine-busy",),
        beside=(RANKS_THROTTLED,),
    ),
    Animal(
        "limited disk of ranks",
        "the same with 100 MiB/s on the disk",
        "write",
        ("device-limited",),
        beside=(RANKS_LIMITED,),
    ),
    Animal(
        "ranks on one processor",
        "the launcher binds both ranks to one of several processors (taskset)",
        "write",
        ("ranks-on-few-processors",),
        beside=(ONE_PROCESSOR,),
    ),
)
