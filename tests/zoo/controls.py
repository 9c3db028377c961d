"""Honest storages, machines and libraries: a finding about one of them is false."""

from tests.zoo.animals import BTRFS, IDLE_AUDIT, JOURNAL, ORIGINAL, Animal
from tests.zoo.clients import HONEST_CLIENTS
from tests.zoo.lookups import HONEST_AUDIT
from tests.zoo.series import HONEST_SERIES

CONTROLS = (
    Animal("honest disk", "the disk as it is", "write", ()),
    Animal("honest memory", "tmpfs as it is", "read", (), target="memory"),
    Animal("honest O_DIRECT", "the disk past the page cache", "read", (), suite="direct"),
    Animal("passing profiler", "a preloaded library passes all calls on", "write", (), "pass-through"),
    Animal("passing profiler in memory", "the same on tmpfs", "read", (), "pass-through", target="memory"),
    Animal("idle audit library", "LD_AUDIT binds nothing anew", "write", (), library=IDLE_AUDIT),
    *HONEST_AUDIT,
    Animal("honest directories", "mdtest as it is", "create", (), suite="directories"),
    Animal("honest synchronised files", "mdtest -y as it is", "create", (), suite="synchronised-files"),
    Animal("honest btrfs", "btrfs in a file of the disk", "write", (), target=BTRFS),
    Animal("honest journal", "ext4 with data=journal, which writes all twice", "write", (), target=JOURNAL),
    Animal(
        "honest mapping",
        "files in memory that msync writes back",
        "write",
        (),
        suite="mapped",
        programs=(ORIGINAL,),
    ),
    *HONEST_CLIENTS,
    *HONEST_SERIES,
)
