"""Results that share the calls of one phase, or that are of a part of them."""

from typing import Any

import pytest

from tests.unit.prove.reports import MIB, S, judged_of, mount, phase, process
from tests.unit.prove.test_verdicts import fio
from weir.prove.claims import judged_claims
from weir.prove.mounts import mounts_of
from weir.prove.output import claim_lines, hint_lines
from weir.prove.results import Claim, expected

NOT_SAID_WHOSE = ("UNPROVEN", "file")


def judged(claims: list[Claim], *phases: dict[str, Any]) -> list[tuple[str, str]]:
    """Of writes that all arrived at the device."""
    total = sum(one["written_bytes"] for one in phases) // MIB
    whole = mount(*phases, device=(0, total), io={"wchar": total, "write_bytes": total})
    for at, one in enumerate(whole["phases"]):
        counts = {"device": [0, 0, 0, 0]}
        if at:
            counts["device"] = [0, sum(part["written_bytes"] for part in phases[:at])] * 2
        one["before"] = one["before"] | counts
    return [(one.row["verdict"], one.row["missing"] or "") for one in judged_of(claims, process(whole))]


def busy(written: int, began_s: float = 1.0, lasted_s: float = 1.0) -> dict[str, Any]:
    """Within calls from begin to end."""
    one = phase(written=written, synced=written, lasted_s=lasted_s)
    ends = {"first_ns": int(began_s * S), "last_ns": int((began_s + lasted_s) * S)}
    one["write"] = one["write"] | ends | {"busy_ns": int(lasted_s * S)}
    one["sync"] = one["sync"] | ends | {"busy_ns": 0}
    return one | ends


def of(moved: int, total_s: float, **more: Any) -> Claim:
    bytes_ = {"moved_bytes": moved * MIB, "requested_bytes": moved * MIB}
    return fio(**bytes_, total_s=total_s, bw_mib_s=moved / total_s, **more)


def test_bytes_are_of_one_result_alone() -> None:
    """dd to /dev/null as much as dd to the disk: one of the two has no bytes there."""
    assert judged([of(100, 1.0)], busy(100)) == [("VALID", "")]
    assert judged([of(100, 0.01), of(100, 1.0)], busy(100)) == [NOT_SAID_WHOSE] * 2


@pytest.mark.parametrize(("began_s", "accesses"), [(6.0, ["write", "read"]), (1.5, ["write", "write"])])
def test_results_of_equal_size_that_tell_no_access_are_in_their_order(
    began_s: float, accesses: list[str]
) -> None:
    """dd in a script that writes a file, then reads it; beside each other nobody knows which is which."""
    reads = phase(read=100) | {"first_ns": int(began_s * S), "last_ns": int((began_s + 2) * S)}
    reads["read"] = {"calls": 100, "busy_ns": S, "first_ns": reads["first_ns"], "last_ns": reads["last_ns"]}
    both = [process(mount(one, file_system="tmpfs"), pid=pid) for pid, one in enumerate((busy(100), reads))]
    claims = [of(100, 3.0, access=None), of(100, 2.0, access=None)]
    assert [one.access for one in judged_of(claims, *both)] == accesses


def test_results_of_one_phase_have_its_time_together() -> None:
    assert judged([of(50, 0.5), of(50, 0.5)], busy(100)) == [("VALID", "")] * 2
    assert judged([of(50, 1.0), of(50, 1.0)], busy(100)) == [("VALID", "")] * 2  # beside each other
    assert judged([of(50, 0.05), of(50, 0.05)], busy(100)) == [NOT_SAID_WHOSE] * 2


def test_iterations_without_a_pause_between_them_have_the_counts_together() -> None:
    """ior -i 3: the kernel was given the bytes of all three, which are not those of one in larger pages."""
    one = of(100, 1.0, xfer_bytes=MIB, sync=False)
    calls = busy(300, lasted_s=3.0) | {"synced_bytes": 0, "sync": phase()["sync"]}
    assert judged([one] * 3, calls) == [("VALID", "")] * 3


def test_a_count_that_is_far_from_the_result_is_explained() -> None:
    """And the reason that tells most is the one that is printed, with what to do."""

    def printed(claims: list[Claim], *phases: dict[str, Any], **counts: Any) -> list[str]:
        processes = [process(mount(*phases, **counts))]
        found = judged_claims(claims, mounts_of(processes), processes, ["app"])
        return [*claim_lines(found), *hint_lines(one for _, one in found)]

    io = {"wchar": 200, "write_bytes": 200}
    near, far = of(200, 1.0), of(100, 0.5)
    (line,) = printed([near], busy(200), device=(0, 200), io=io)
    assert "(" not in line.partition("; counted ")[2].partition(": VALID")[0]
    (line, _) = printed([far] * 2, busy(200, lasted_s=2.0), device=(0, 200), io=io)[:2]
    assert "counted 200 MiB at 100 MiB/s (calls of 2 results, 2 s from first to last" in line
    warm = busy(0) | {"read_bytes": 100 * MIB}
    warm["read"] = busy(100, lasted_s=0.001)["write"]
    line, hint = printed([of(100, 0.001, access="read")], warm, io={"rchar": 100, "read_bytes": 0})
    assert "read-from-cache" in line
    assert hint.startswith("hint: read-from-cache: drop the caches of the nodes")


@pytest.mark.parametrize("cold_began_s", [1.0, 1.02])
def test_a_quick_warm_read_beside_a_cold_one_is_not_what_that_one_fetched(cold_began_s: float) -> None:
    """Also after it, where both took more time than the result: which calls are its own is not known."""
    cold, warm = busy(0, cold_began_s, 0.1), busy(0, 1.0, 0.01)
    for part in (cold, warm):
        began_s, lasted_s = part["first_ns"] / S, (part["last_ns"] - part["first_ns"]) / S
        part["read_bytes"] = 100 * MIB
        part["read"] = busy(100, began_s, lasted_s)["write"]
    io = {"rchar": 100, "read_bytes": 100}
    both = [
        process(mount(cold, device=(100, 0), io=io)),
        process(mount(warm, device=(100, 0), io=io | {"read_bytes": 0}), pid=8),
    ]
    (one,) = judged_of([of(100, 0.01, access="read")], *both)
    assert (one.row["verdict"], one.row["missing"]) == ("UNPROVEN", "fetched")


def test_processes_one_after_the_other_have_the_time_of_both() -> None:
    """The first took two seconds, the second a tenth: both results claim a tenth."""

    def verdicts(second_began_s: float) -> list[str]:
        parts = [busy(100, lasted_s=2.0), busy(100, began_s=second_began_s, lasted_s=0.1)]
        first = mount(parts[0], device=(0, 100), io={"wchar": 100, "write_bytes": 100})
        second = mount(parts[1], device=(0, 200), io={"wchar": 100, "write_bytes": 100})
        found = judged_of([of(100, 0.1), of(100, 0.1)], process(first), process(second, pid=8))
        return [one.row["verdict"] for one in found]

    assert verdicts(3.5) == ["UNPROVEN"] * 2
    assert verdicts(2.5) == ["VALID"] * 2  # beside the first one


def test_a_ramp_is_not_of_the_result() -> None:
    """fio writes throughout and counts from the end of ramp_time on."""
    assert judged([of(100, 1.0)], busy(200, lasted_s=2.0)) == [("VALID", "")]
    assert judged([of(140, 1.0)], busy(200, lasted_s=2.0)) == [NOT_SAID_WHOSE]  # the quicker part of it
    assert judged([of(100, 0.5)], busy(102, lasted_s=1.0))[0][0] == "INVALID"


def test_what_lasted_several_phases_has_the_time_of_all() -> None:
    three = (busy(2), busy(96, began_s=4.0, lasted_s=2.0), busy(2, began_s=9.0))
    assert judged([of(100, 0.5)], *three)[0][0] == "INVALID"
    assert judged([of(100, 4.0)], *three) == [("VALID", "")]
    laid_out = (busy(100), busy(100, began_s=4.0))
    assert judged([of(100, 1.0)], *laid_out) == [("VALID", "")]


def test_a_synchronisation_is_of_the_results_that_have_it() -> None:
    """A second of writing, then two of a synchronisation: of the same process, or of the command sync."""
    own = busy(100)
    own["sync"] = own["write"] | {"first_ns": 2 * S, "last_ns": 4 * S, "busy_ns": 2 * S}
    own["last_ns"] = 4 * S
    assert judged([of(100, 1.0, sync=False)], own)[0][0] == "VALID"
    assert judged([of(100, 1.0, sync=True)], own)[0][0] == "INVALID"
    assert judged([of(100, 1.0)], own)[0][0] == "INVALID"  # dd conv=fsync
    writer, other = busy(100), own | {"written_bytes": 0, "write": phase()["write"]}
    writer["sync"] = phase()["sync"]
    whole = {"device": (0, 100), "io": {"wchar": 100, "write_bytes": 100}}
    both = [process(mount(writer, **whole)), process(mount(other, device=(0, 100)), pid=8)]
    assert [one.row["verdict"] for one in judged_of([of(100, 1.0)], *both)] == ["VALID"]


def test_each_number_that_is_expected_is_about_all() -> None:
    many = [expected("write 900 GiB/s"), expected("write 100 MiB/s")]
    assert [verdict for verdict, _ in judged(many, busy(100))] == ["INVALID", "VALID"]


def test_direct_transfers_of_one_access_are_not_those_of_the_other() -> None:
    """fio writes through the page cache, and reads with O_DIRECT within the same second."""
    both = busy(100) | {"read_bytes": 100 * MIB, "direct_read_bytes": 100 * MIB}
    both["read"] = both["write"]
    io = {"rchar": 100, "wchar": 100, "read_bytes": 100, "write_bytes": 100}
    program = process(mount(both, device=(100, 100), io=io))
    claims = [of(100, 1.0, direct=False, sync=True), of(100, 1.0, access="read", direct=True)]
    assert [one.row["verdict"] for one in judged_of(claims, program)] == ["VALID", "VALID"]


@pytest.mark.parametrize("jobs", [1, 4])
def test_other_jobs_of_the_program_are_no_other_users(jobs: int) -> None:
    claims = [of(100, 1.0, xfer_bytes=65536) for _ in range(jobs)]
    assert judged(claims, busy(100 * jobs)) == [("VALID", "")] * jobs


def test_threads_at_the_same_time_took_the_time_of_one() -> None:
    """Four threads for a second each, and a small write of settings long before."""
    threads = busy(101, lasted_s=5.0)
    threads["write"] = threads["write"] | {"busy_ns": 4 * S}
    assert judged([of(100, 1.0)], threads | {"most_at_once": 4}) == [("VALID", "")]
    assert judged([of(100, 1.0)], threads)[0][0] == "INVALID"


def verdicts_of_processes(claims: list[Claim], *phases: dict[str, Any]) -> list[str]:
    """Each phase is of a process of its own."""
    total = sum(one["written_bytes"] for one in phases) // MIB
    processes = []
    for pid, one in enumerate(phases):
        written = one["written_bytes"] // MIB
        io = {"wchar": written, "write_bytes": written}
        processes.append(process(mount(one, device=(0, total), io=io), pid=pid))
    return [one.row["verdict"] for one in judged_of(claims, *processes)]


def test_time_is_not_moved_from_one_process_to_another() -> None:
    """A script prints the rates of two programs: their times together are right, each of them is not."""
    parts = busy(200, 1.0, 0.25), busy(200, 1.3, 1.0)
    assert verdicts_of_processes([of(200, 1.0), of(200, 0.25)], *parts) == ["VALID", "VALID"]
    assert "INVALID" in verdicts_of_processes([of(200, 0.05), of(200, 1.2)], *parts)
    assert verdicts_of_processes([of(150, 0.2), of(250, 1.1)], *parts) == ["VALID"] * 2  # not of one each
    assert verdicts_of_processes([of(150, 0.1), of(250, 1.2)], *parts)[0] == "UNPROVEN"


def test_time_is_not_moved_between_results_of_other_sizes() -> None:
    """Each is of the process that moved as much; where one process moved all, no part of it was so quick."""
    parts = busy(200, 1.0, 1.0), busy(100, 2.3, 0.5)
    assert verdicts_of_processes([of(200, 1.0), of(100, 0.5)], *parts) == ["VALID"] * 2
    assert verdicts_of_processes([of(100, 0.5), of(200, 1.0)], *parts) == ["VALID"] * 2
    assert verdicts_of_processes([of(200, 0.2), of(100, 2.0)], *parts)[0] == "INVALID"
    assert verdicts_of_processes([of(200, 2.0), of(100, 0.2)], *parts)[1] == "INVALID"
    whole = busy(300, lasted_s=1.5)
    assert judged([of(200, 1.0), of(100, 0.5)], whole) == [("VALID", "")] * 2
    assert judged([of(200, 0.2), of(100, 2.0)], whole)[0] == NOT_SAID_WHOSE


def test_a_result_is_of_the_mount_on_which_a_process_moved_its_bytes() -> None:
    """Two programs on two disks; of equal sizes the time tells."""
    io = {"wchar": 0, "write_bytes": 0}
    for sizes, times in (((100, 40), (1.0, 0.5)), ((100, 100), (1.0, 0.25)), ((100, 100), (1.0, 0.97))):
        one, other = (busy(size, 1.0, time) for size, time in zip(sizes, times, strict=True))
        first = mount(one, device=(0, sizes[0]), io=io | {"write_bytes": sizes[0]})
        second = mount(other, device=(0, sizes[1]), point="/other", io=io | {"write_bytes": sizes[1]})
        second |= {"device": "sdy", "source": "/dev/sdy1"}
        claims = [of(size, time) for size, time in zip(sizes, times, strict=True)]
        found = judged_of(claims, process(first), process(second, pid=8))
        verdicts = [(one.mount.point, one.row["verdict"]) for one in found]
        assert verdicts == [("/scratch", "VALID"), ("/other", "VALID")]
