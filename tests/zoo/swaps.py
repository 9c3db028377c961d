"""Animals that a supplier would build: other files, blocks or memory stand for what was requested."""

from tests.zoo.animals import LOAD, XFS, Animal

_REFUSED = ("exit-code",)  # by what weir-io itself looks at
_NOT_PASSED_ON = ("bytes-not-in-calls",)

SWAPS = (
    Animal(
        "swapped descriptors",
        "during a write /dev/null stands behind the descriptor of a file in memory",
        "write",
        _REFUSED,
        "swapped",
        _NOT_PASSED_ON,
        target="memory",
    ),
    Animal(
        "swapped descriptors of a read",
        "the same with /dev/zero during a read",
        "read",
        _REFUSED,
        "swapped",
        _NOT_PASSED_ON,
        target="memory",
    ),
    Animal(
        "spliced reads",
        "what a read of memory takes goes to /dev/null within the kernel",
        "read",
        _NOT_PASSED_ON,
        "spliced",
        target="memory",
    ),
    Animal("spliced direct reads", "the same from a disk", "read", _NOT_PASSED_ON, "spliced", suite="direct"),
    Animal(
        "cloned blocks",
        "all writes on XFS but the first share its blocks (copy_file_range), beside a writer",
        "write",
        (*_REFUSED, "bytes-not-stored"),  # refused where there is no first block yet
        "cloned",
        ("bytes-not-in-calls", "bytes-not-stored"),
        target=XFS,
        beside=(LOAD,),
    ),
    Animal(
        "punched holes",
        "fsync first takes the blocks away (fallocate), beside a writer",
        "write",
        _REFUSED,
        "punched",
        ("bytes-withdrawn",),
        suite="own-files",
        beside=(LOAD,),
    ),
    Animal(
        "ranged fsync",
        "fsync is a sync_file_range, which leaves all in the cache of the disk",
        "write",
        ("calls",),
        "ranged",
        ("sync-not-applied",),
    ),
)
