"""What each process of a program left in the page cache, or took from it, is told apart."""

import pytest

from tests.unit.prove.reports import MIB, S, counters, mount, phase, process
from tests.unit.prove.test_verdicts import verdict, written


@pytest.mark.parametrize(
    ("inode", "left", "found"),
    [
        (1, 50, ("INVALID", "sync-left-dirty-pages")),
        (2, 50, ("VALID", "")),
        (None, 50, ("VALID", "")),  # an older library
    ],
)
def test_each_file_is_looked_at_by_itself_after_its_synchronisation(
    inode: int | None, left: int, found: tuple[str, str]
) -> None:
    """Another process may have written to the same file meanwhile, and looked when it was clean."""
    look = {"files": 1, "pages": 100, "dirty_bytes": 0, "writeback_bytes": 0}
    numbers = ({}, {}) if inode is None else ({"unwritten_inode": 2}, {"unwritten_inode": inode})
    clean = mount(phase(), device=(0, 100), unwritten=look, **numbers[0])
    dirty = written(unwritten=look | {"dirty_bytes": left * MIB}, **numbers[1])
    assert verdict(process(dirty), process(clean, pid=8)) == found


@pytest.mark.parametrize(("given", "found"), [(40, ("VALID", "")), (0, ("INVALID", "bytes-withdrawn"))])
def test_what_another_process_took_away_of_its_own_was_not_withdrawn(
    given: int, found: tuple[str, str]
) -> None:
    """The daemon of Open MPI shares memory by files of /tmp, which it removes at the end."""
    io = {"write_bytes": given, "cancelled_write_bytes": 40}
    daemon = mount(phase(), device=(0, 100), io=io, mappings=1)
    daemon["end"]["raw_ns"] = 9 * S
    assert verdict(process(written()), process(daemon, pid=8)) == found
    later = phase() | {"first_ns": S, "before": counters({"write_bytes": given}, (0, 0))}  # given before
    daemon["phases"] = [phase() | {"before": daemon["start"], "first_ns": 1, "last_ns": 2}, later]
    assert verdict(process(written()), process(daemon, pid=8)) == found
