"""Limits of control groups that the ranks have alone, as srun and containers give them."""

from __future__ import annotations

from tests.zoo.animals import RANKS_LIMITED, RANKS_THROTTLED, Animal

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
)
