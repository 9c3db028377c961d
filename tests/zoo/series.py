"""Synchronisations of each file that do nothing, and one at the end that does all."""

from tests.zoo.animals import FILTERED, FLUSHER, SYNCHRONISER, Animal

SERIES = (
    Animal(
        "filtered fsync before a sync",
        "a seccomp filter answers fsync of mdtest -y -Y; the sync of -Y cleans the pages",
        "create",
        ("syncs-not-at-device",),
        suite="synchronised-twice",
        beside=(FILTERED,),
    ),
    Animal(
        "filtered fsync beside synchronisations",
        "the same filter under mdtest -y, while another process synchronises the mount 50 times a second",
        "create",
        ("syncs-not-at-device",),
        suite="synchronised-files",
        beside=(FILTERED, SYNCHRONISER),
    ),
    Animal(
        "filtered fsync beside a database",
        "mdtest -y -Y with the filter, while another process synchronises files all the time",
        "create",
        ("files-not-synchronised",),
        suite="synchronised-twice",
        beside=(FILTERED, FLUSHER),
    ),
)
HONEST_SERIES = (
    Animal("honest series", "mdtest -y -Y as it is", "create", (), suite="synchronised-twice"),
    Animal(
        "honest files beside synchronisations",
        "mdtest -y, while another process synchronises the mount 50 times a second",
        "create",
        (),
        suite="synchronised-files",
        beside=(SYNCHRONISER,),
    ),
    Animal(
        "honest series beside a database",
        "mdtest -y -Y, while another process synchronises files all the time",
        "create",
        (),
        suite="synchronised-twice",
        beside=(FLUSHER,),
    ),
)
