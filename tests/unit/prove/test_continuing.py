"""Iterations of a program that follow one another without a pause: each has calls of its own."""

from typing import Any

from tests.unit.prove.reports import MIB, S, judged_of, mount, process
from tests.unit.prove.test_shared_calls import busy, of
from weir.prove.claims import judged_claims
from weir.prove.judged import with_others
from weir.prove.mounts import Mount, mounts_of
from weir.prove.output import claim_lines
from weir.prove.pieces import joined, runs_of

_LASTED_S = (2.0, 0.25)


def iterations(*written: int, is_continuing: bool = True, **more: Any) -> dict[str, Any]:
    """A rank that wrote so many MiB in each iteration, and closed its file after it."""
    began_s, phases = 1.0, []
    for at, (moved, lasted_s) in enumerate(zip(written, (*_LASTED_S, *_LASTED_S), strict=False)):
        part = busy(moved, began_s, lasted_s) | more
        phases.append(part | ({"continues": True} if at and is_continuing else {}))
        began_s += lasted_s + 0.1
    total = sum(written)
    whole = mount(*phases, device=(0, 2 * total), io={"wchar": total, "write_bytes": total})
    for at, one in enumerate(whole["phases"]):
        moved = sum(written[:at])
        io = dict.fromkeys(one["before"]["io"], 0) | {"wchar": moved * MIB, "write_bytes": moved * MIB}
        disk = [0, 2 * moved * MIB] * 2
        one["before"] = one["before"] | {"device": disk, "io": io, "raw_ns": one["first_ns"]}
    whole["end"] = whole["end"] | {"raw_ns": 100 * S}
    return whole


def seen(*mounts: dict[str, Any]) -> tuple[list[dict[str, Any]], list[Mount]]:
    ranks = [process(one, rank=at, pid=7 + at) for at, one in enumerate(mounts)]
    return ranks, with_others(mounts_of(ranks))


def test_each_iteration_is_matched_with_its_own_calls() -> None:
    """mpirun -np 2 ior -w -i 2: each rank moved as much in all as each result has."""
    ranks, mounts = seen(iterations(64, 64), iterations(64, 64))
    claims = [of(128, 2.0, sync=True), of(128, 0.25, sync=True)]
    found = judged_claims(claims, mounts, ranks, ["ior"])
    assert [one and one.row["verdict"] for _, one in found] == ["VALID"] * 2
    first, second = claim_lines(found)
    assert "write 64 MiB/s; counted 128 MiB at 64 MiB/s: VALID" in first
    assert "write 512 MiB/s; counted 128 MiB at 512 MiB/s: VALID" in second


def test_the_time_of_one_iteration_is_not_that_of_another() -> None:
    ranks, mounts = seen(iterations(64, 64), iterations(64, 64))
    exchanged = [of(128, 0.25, sync=True), of(128, 2.0, sync=True)]
    found = judged_claims(exchanged, mounts, ranks, ["ior"])
    assert [one and one.row["verdict"] for _, one in found] == ["INVALID", "VALID"]


def test_results_of_another_size_or_number_have_the_phase_together() -> None:
    ranks, mounts = seen(iterations(64, 64))
    for claims in ([of(128, 2.5)], [of(64, 0.5)], [of(32, 0.6)] * 4):
        (one, *_) = [judged for _, judged in judged_claims(claims, mounts, ranks, ["app"])]
        assert [*one.phases] == [*mounts[0].phases]


def test_programs_that_follow_one_another_may_print_in_another_order() -> None:
    _, mounts = seen(iterations(64), iterations(64))
    assert not mounts[0].phases[0].spans


def test_a_phase_with_its_parts_counts_as_one() -> None:
    """What the library of today sees is what that of yesterday saw, but for the parts."""
    parts = iterations(64, 32, synced_bytes=0)["phases"]
    parts[1] |= {"synced_earlier_bytes": 64 * MIB, "synced_from_ns": parts[0]["first_ns"]}
    parts[0] |= {"ahead_before_bytes": 1, "ahead_bytes": 2, "fetched_before_bytes": 5, "ahead_from_ns": 9}
    parts[1] |= {"ahead_before_bytes": 4, "ahead_bytes": 8, "fetched_before_bytes": 99, "ahead_from_ns": 11}
    parts[0]["fetched_after_bytes"], parts[1]["fetched_after_bytes"] = 50, 120
    assert [len(run) for run in runs_of([*parts, parts[0]])] == [2, 1]
    assert [*runs_of([])] == []
    whole = joined(parts)
    assert whole["written_bytes"] == 96 * MIB
    assert (whole["first_ns"], whole["last_ns"]) == (parts[0]["first_ns"], parts[1]["last_ns"])
    assert (whole["synced_bytes"], whole["synced_earlier_bytes"]) == (64 * MIB, 0)
    assert whole["write"] == parts[0]["write"] | {
        "calls": 96,
        "busy_ns": parts[0]["write"]["busy_ns"] + parts[1]["write"]["busy_ns"],
        "last_ns": parts[1]["write"]["last_ns"],
    }
    fetched = {"ahead_before_bytes": 1, "ahead_bytes": 14, "fetched_before_bytes": 5, "ahead_from_ns": 9}
    fetched |= {"fetched_after_bytes": 120}
    assert {name: whole[name] for name in fetched} == fetched
    assert whole["before"] == parts[0]["before"]


def test_results_of_different_sizes_are_matched_by_their_bytes() -> None:
    """Three phases with pauses, of which two have a result, printed in another order."""
    parts = [busy(100, 1.0), busy(200, 5.0, 2.0), busy(50, 9.0)]
    whole = mount(*parts, device=(0, 350), io={"wchar": 350, "write_bytes": 350})
    found = judged_of([of(200, 2.0), of(100, 1.0)], process(whole))
    moved = [[phase.written_bytes for phase in one.phases] for one in found]
    assert moved == [[200 * MIB], [100 * MIB]]
