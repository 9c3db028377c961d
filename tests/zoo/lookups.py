"""Libraries that lead calls to other files where nobody who looks at the calls sees it."""

from tests.zoo.animals import (
    CHANGING_AUDIT,
    IDLE_AUDIT,
    LOOKED_UP,
    LOOKED_UP_READS,
    ORIGINAL,
    OTHER_MPI,
    Animal,
)

_DIFFER = ("contents-differ",)

LOOKUPS = (
    Animal(
        "answered lookups",
        "a library answers the witness's dlsym, once, with writes to /dev/null instead of memory",
        "write",
        _DIFFER,
        target="memory",
        library=LOOKED_UP,
        programs=(ORIGINAL,),
    ),
    Animal(
        "answered lookups of reads",
        "the same with reads of /dev/zero",
        "read",
        _DIFFER,
        target="memory",
        library=LOOKED_UP_READS,
        programs=(ORIGINAL,),
    ),
    Animal(
        "changing audit library",
        "LD_AUDIT replaces reads of memory by those of /dev/zero as they pass (la_pltenter)",
        "read",
        ("bytes-not-in-calls",),
        target="memory",
        library=CHANGING_AUDIT,
    ),
    Animal(
        "other MPI library",
        "MPI_File_read_at of the libmpi in LD_LIBRARY_PATH reads /dev/zero instead of memory",
        "read",
        _DIFFER,
        target="memory",
        ior=("bytes-not-in-calls",),
        suite="mpiio",
        library=OTHER_MPI,
    ),
)
HONEST_AUDIT = (
    Animal(
        "idle audit library in memory",
        "LD_AUDIT binds nothing anew, on tmpfs",
        "read",
        (),
        target="memory",
        library=IDLE_AUDIT,
    ),
)
