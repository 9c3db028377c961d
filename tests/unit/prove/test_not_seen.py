"""What weir prove prints below `not seen:`, and the finding that a line shows first."""

from collections.abc import Mapping

import pytest

from tests.unit.prove.reports import MIB, mount, phase, process
from weir.audit.judge import Judgement
from weir.audit.registry import rules
from weir.prove.mounts import mounts_of
from weir.prove.output import most_telling
from weir.prove.reports import unreported_bytes
from weir.prove.seen import Seen, unseen_lines
from weir.prove.start import EndedProgram
from weir.records.model import Finding
from weir.witness.document import LIBRARY

WRITTEN = {"rchar": 0, "wchar": 100, "read_bytes": 0, "write_bytes": 100}


def not_seen(tree: Mapping[str, int]) -> str:
    """Of a program whose one process reported 100 MiB of writes. tree: what the kernel counted, in MiB."""
    own = {name: count * MIB for name, count in WRITTEN.items()}
    processes = [process(mount(phase(written=100, synced=100), io=WRITTEN), io=own)]
    ended = EndedProgram(0, 1.0, "", {name: count * MIB for name, count in tree.items()})
    return "\n".join(unseen_lines(Seen(["fio"], ended, processes, 0, mounts_of(processes), [], [])))


@pytest.mark.parametrize(
    ("tree", "told"),
    [
        (WRITTEN, ""),
        (
            WRITTEN | {"read_bytes": 55},  # fio and its libraries, which were not in memory
            "55 MiB fetched from file systems by no call that was seen: programs and libraries that",
        ),
        (
            WRITTEN | {"rchar": 55, "read_bytes": 55},
            "55 MiB fetched from file systems, in processes that left no report",
        ),
        (WRITTEN | {"wchar": 155}, "55 MiB written by calls, in processes that left no report"),
    ],
)
def test_what_the_kernel_counted_beyond_the_reports(tree: Mapping[str, int], told: str) -> None:
    if not LIBRARY.is_file():
        pytest.skip("needs the library: make build")
    found = not_seen(tree)
    assert told in found
    assert bool(found) is bool(told)


def test_threads_that_ended_are_of_their_process() -> None:
    """A shell that waited for a command became the program, as a script does that starts fio by exec."""
    writes = mount(phase(written=100, synced=100), io=WRITTEN)
    became = process(writes, io=dict.fromkeys(WRITTEN, 0))
    assert unreported_bytes({"wchar": 100 * MIB}, [became]) == {}
    assert unreported_bytes({"wchar": 155 * MIB}, [became]) == {"wchar": 55 * MIB}


def test_the_time_of_queues_and_mappings_is_that_of_the_program_alone() -> None:
    processes = [process(mount(phase(written=100), io=WRITTEN, mappings=1), rings=1)]
    seen = Seen(["fio"], EndedProgram(0, 1.0, "", None, []), processes, 0, mounts_of(processes), [], [])
    assert "\n".join(unseen_lines(seen)).count("the program alone their time") == 2


@pytest.mark.parametrize("first", ["read-from-cache", "others-on-device", "phase-too-short"])
def test_what_the_program_did_comes_before_what_others_did_and_before_numbers(first: str) -> None:
    """A read from memory beside another job had the busy disk as its reason, which gave no byte of it."""
    names = [first, *{"others-on-device", "read-from-cache", "phase-too-short"} - {first}]
    assert set(names) <= rules().keys()
    judgement = Judgement(tuple(Finding(name, "DEGRADED", "seen") for name in names))
    assert most_telling(judgement).rule == "read-from-cache"
