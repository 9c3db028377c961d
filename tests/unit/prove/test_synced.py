"""Synchronisations that come later than a phase: whose they are, and how long the write took then."""

from typing import Any

from tests.unit.prove.reports import MIB, S, counters, fio, judged_of, mount, phase, process
from weir.prove.judged import judged_mounts
from weir.prove.mounts import mounts_of
from weir.prove.output import mount_lines


def written(mib: int = 100, began_s: float = 1, lasted_s: float = 1, synced: int = 0) -> dict[str, Any]:
    times = {"first_ns": int(began_s * S), "last_ns": int((began_s + lasted_s) * S)}
    one = phase(written=mib, synced=synced) | times
    return one | {kind: one[kind] | times for kind in ("write", "sync") if one[kind]["calls"]}


def synchronised(mib: int, at_s: float, since_s: float = 1, also: int = 0) -> dict[str, Any]:
    """A phase in which the bytes of earlier ones are; also: what it writes itself."""
    times = {"first_ns": int(at_s * S), "last_ns": int((at_s + 1) * S)}
    one = written(also, at_s, synced=also) if also else phase() | times
    one["sync"] = {"calls": 1, "busy_ns": S // 4, **times}
    return one | {"synced_earlier_bytes": mib * MIB, "synced_from_ns": int(since_s * S)}


def counted(*phases: dict[str, Any]) -> dict[str, Any]:
    """The kernel and the device counted the bytes in the phases that wrote them."""
    total = sum(one["written_bytes"] for one in phases) // MIB
    whole = mount(*phases, device=(0, total), io={"wchar": total, "write_bytes": total})
    written = 0
    for one in whole["phases"]:
        one["before"] = counters({"wchar": written, "write_bytes": written}, (0, written))
        written += one["written_bytes"] // MIB
    return whole


def claimed(total_s: float, *phases: dict[str, Any], **row: Any) -> tuple[str, str]:
    claim = fio(**{"total_s": total_s, "bw_mib_s": 100 / total_s, "sync": True} | row)
    (one,) = judged_of([claim], process(counted(*phases)))
    return one.row["verdict"], one.row["reasons"] or one.row["missing"] or ""


def test_a_rank_that_waits_for_another_one_has_synchronised_its_bytes() -> None:
    waits = mount(written(50), synchronised(50, 4), device=(0, 100), io={"wchar": 50, "write_bytes": 50})
    other = mount(written(50, lasted_s=4, synced=50), device=(0, 100), io={"wchar": 50, "write_bytes": 50})
    processes = [process(waits), process(other, pid=8)]
    (whole,) = mounts_of(processes)
    assert [(one.synced_bytes, one.synced_earlier_bytes) for one in whole.phases] == [(100 * MIB, 0)]
    (one,) = judged_mounts([whole], processes, ["app"])
    assert (one.row["verdict"], one.row["sync"], one.row["proof"]) == ("VALID", True, "devices")
    assert one.row["total_s"] == 4


def test_the_time_of_a_write_does_not_have_a_synchronisation_after_a_pause() -> None:
    alone = [process(counted(written(), synchronised(100, 5)))]
    (whole,) = mounts_of(alone)
    assert [(one.synced_bytes, one.synced_earlier_bytes) for one in whole.phases] == [(0, 0), (0, 100 * MIB)]
    (one,) = judged_mounts([whole], alone, ["app"])
    assert (one.row["sync"], one.row["proof"], one.row["total_s"]) == (False, "client", 1)
    assert [note.rule for note in one.judgement.notes] == ["not-synchronised"]
    (line,) = (text for text in mount_lines(whole, [one]) if text.startswith("  syncs"))
    assert line.endswith("they cover 100 % of what was written, 100 % after its phase had ended")


def test_a_synchronised_result_has_the_wait_in_its_time() -> None:
    phases = written(), synchronised(100, 5)
    assert claimed(5.0, *phases) == ("VALID", "")
    assert claimed(1.0, *phases) == ("INVALID", "shorter-than-its-calls")
    assert claimed(1.0, *phases, sync=False) == ("VALID", "")


def test_a_synchronisation_after_other_writes_is_not_that_of_a_result() -> None:
    """100 MiB at once, 100 more later, of which the synchronisation takes another second."""
    phases = written(), synchronised(100, 5, also=100)
    for total_s in (0.3, 0.5):
        assert claimed(total_s, *phases) == ("INVALID", "shorter-than-its-calls")
    assert claimed(1.0, *phases) == ("VALID", "")
    before = written(), synchronised(100, 5, since_s=0.5)
    assert claimed(5.0, *before) == ("DEGRADED", "sync-not-applied")


def test_a_result_of_several_phases_has_the_synchronisation_after_the_last() -> None:
    phases = written(50), written(50, began_s=4), synchronised(100, 7)
    assert claimed(7.0, *phases) == ("VALID", "")
    assert claimed(2.0, *phases) == ("INVALID", "shorter-than-its-calls")
    apart = written(), written(began_s=4), synchronised(200, 7)
    assert claimed(0.3, *apart) == ("DEGRADED", "sync-not-applied")


def test_what_a_later_program_moves_is_not_of_the_phase_of_an_earlier_one() -> None:
    """`sh -c 'dd conv=fsync; sleep 2; dd conv=fsync'`, whose first synchronisation does nothing."""

    def look(at_s: float, device_mib: int) -> dict[str, Any]:
        return counters({}, (0, device_mib)) | {"raw_ns": int(at_s * S)}

    def program(began_s: float, ended_s: float, phase: dict[str, Any], *, mib: int = 0) -> dict[str, Any]:
        moved = {"before": look(began_s, 0 if began_s < 4 else 3)}
        one = mount(phase, device=(0, 0)) | {"end": look(ended_s, 3 if ended_s < 4 else 103)}
        one["phases"][0] |= moved
        one["end"]["io"] = counters({"wchar": mib, "write_bytes": mib}, None)["io"]
        return process(one)

    shell = program(0.9, 9, phase() | {"first_ns": S, "last_ns": S})
    first = program(1, 2.1, written(100, 1, 1, synced=100), mib=100)
    second = program(4, 6, written(100, 4.1, 1, synced=100), mib=100)
    processes = [shell, first, second]
    verdicts = [one.row["verdict"] for one in judged_mounts(mounts_of(processes), processes, ["sh"])]
    assert verdicts == ["INVALID", "VALID"]


def test_writes_that_were_to_be_synchronised_by_their_descriptor() -> None:
    """fio with sync=1 and end_fsync=1, where something takes O_SYNC from the open."""
    told: dict[str, Any] = {"observed": {"writes_through": True}, "ops": 1000}
    for flags, found in (["O_SYNC"], ("VALID", "")), ([], ("INVALID", "syncs-not-at-device")):
        whole = counted(written(synced=100)) | {"flags": flags}
        (one,) = judged_of([fio(sync=True, **told)], process(whole))
        assert (one.row["verdict"], one.row["reasons"] or "") == found
