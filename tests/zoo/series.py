"""Synchronisations of each file that do nothing, and one at the end that does all."""

from __future__ import annotations

from tests.zoo.animals import FILTERED, Animal

SERIES = (
    Animal(
        "filtered fsync before a sync",
        "a seccomp filter answers fsync of mdtest -y -Y; the sync of -Y cleans the pages",
        "create",
        ("syncs-not-at-device",),
        suite="synchronised-twice",
        beside=(FILTERED,),
    ),
)
HONEST_SERIES = (Animal("honest series", "mdtest -y -Y as it is", "create", (), suite="synchronised-twice"),)
