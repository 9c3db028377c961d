"""What a witness saw of a launch becomes facts of each access and iteration, or none."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from weir.records.model import Row
from weir.witness.facts import Witnessed, read_witness
from weir.witness.spans import facts_of_turns

MIB = 2**20
S = 1_000_000_000
BOTH = ("write", "read")


def span(at_s: float, access: str, mib: int = 64, **more: Any) -> dict[str, Any]:
    """One second from at_s on, in which the device moved as many bytes and 1 MiB of other processes."""
    moved = {"read_bytes": 0, "written_bytes": 0}
    moved["written_bytes" if access == "write" else "read_bytes"] = mib * MIB
    begun = int(at_s * S)
    counts = {
        "began_ns": begun,
        "ended_ns": begun + S,
        "transfers_end_ns": begun + S // 2,
        "monotonic_ns": S,
        "wall_ns": S,
        "syncs": int(access == "write"),
        "fetched_bytes": moved["read_bytes"],
        "dirtied_bytes": moved["written_bytes"],
        "device_before": [0, 0, 0, 0],
        "device_after": [moved["read_bytes"], moved["written_bytes"], MIB, MIB],
    }
    return counts | moved | more


def process(rank: int, spans: Sequence[dict[str, Any]], host: str = "n1", **more: Any) -> dict[str, Any]:
    record = {"path": "/d/data", "flags": ["O_DIRECT"], "opens": 2, "read_bytes": 0, "written_bytes": 0}
    record |= dict.fromkeys(("direct_requested", "direct_reported", "direct_kernel"), 2)
    record |= dict.fromkeys(("reads_failed", "writes_failed", "dontneed", "truncations", "mappings"), 0)
    record |= {"existing_bytes": 0, "syncs": {"fsync": {"done": 1, "failed": 0}}}
    empty = record | {"path": "", "opens": 0, "direct_requested": 0, "direct_kernel": 0}
    facts = {
        "schema": 1,
        "rank": rank,
        "pid": rank,
        "host": host,
        "program": "ior",
        "root": "/d",
        "preload": "",
    }
    facts |= {"calls": [], "file_system": "ext4", "device": "vda", "device_reason": None, "payload": None}
    facts |= {"spans": list(spans), "more_spans": 0, "files": [record], "other_opens": 0, "others": empty}
    return facts | more


def row(access: str, iteration: int = 0, api: str = "POSIX") -> Row:
    return {"access": access, "iteration": iteration, "api": api}


def of(witnessed: Witnessed, access: str, iteration: int = 0, iterations: int = 1) -> dict[str, Any]:
    return witnessed.of_row(row(access, iteration), BOTH, iterations, len(witnessed.processes))


def test_facts_are_those_of_the_access() -> None:
    both = [span(0, "write"), span(2, "read", fetched_bytes=0)]
    seen = Witnessed([process(0, both), process(1, both)])
    write, read = of(seen, "write"), of(seen, "read")
    assert (write["called_bytes"], write["sync_calls"], write["dirtied_bytes"]) == (128 * MIB, 2, 128 * MIB)
    assert (read["called_bytes"], read["fetched_bytes"]) == (128 * MIB, 0)
    assert write["rank_io_s"] == [0.5, 0.5]
    assert write["direct"] is True
    assert "sync_calls" not in read


def test_a_read_knows_what_its_own_iteration_wrote() -> None:
    """A stonewall ends each write elsewhere."""
    spans = [span(0, "write", 64), span(2, "read", 64), span(4, "write", 48), span(6, "read", 48)]
    seen = Witnessed([process(0, spans), process(1, spans)])
    written = [of(seen, "read", iteration, 2)["written_in_calls"] for iteration in (0, 1)]
    assert written == [128 * MIB, 96 * MIB]
    assert "written_in_calls" not in of(seen, "write", 0, 2)


def test_a_halt_is_that_of_the_rank_that_waited_least_beyond_the_time_of_its_bytes() -> None:
    """64 MiB in 0.5 s: 16 MiB take 0.125 s."""
    long = {"halt_ns": 4 * S // 10, "halt_bytes": 16 * MIB}
    short = {"halt_ns": 3 * S // 10, "halt_bytes": 16 * MIB}
    nothing = process(2, [span(0, "write", mib=0, halt_ns=0, halt_bytes=0)])  # as beside aggregators
    ranks = [process(rank, [span(0, "write", **halt)]) for rank, halt in enumerate((long, short))]
    assert of(Witnessed([*ranks, nothing]), "write")["longest_halt_s"] == pytest.approx(0.175)
    one_call = process(0, [span(0, "write", halt_ns=S // 2, halt_bytes=64 * MIB)])
    assert of(Witnessed([one_call]), "write")["longest_halt_s"] == 0
    assert of(Witnessed([process(0, [span(0, "write")])]), "write")["longest_halt_s"] is None


def test_the_device_of_a_node_is_read_once_and_nodes_are_added() -> None:
    part = [span(0, "write")]
    one = of(Witnessed([process(0, part), process(1, part)]), "write")
    two = of(Witnessed([process(0, part), process(1, part, host="n2")]), "write")
    assert one["device_written_bytes"] == 64 * MIB
    assert two["device_written_bytes"] == 128 * MIB
    assert two["device"]["disk_written_bytes"] == 2 * MIB
    parts = [part, [span(0, "write", device_before=[0, MIB, 0, 0], device_after=[0, 70 * MIB, 0, MIB])]]

    def written(kernels: str, other: str = "vda") -> int:
        """Of nodes by their kernels."""
        nodes = [process(at, parts[at], f"n{at}", kernel=name) for at, name in enumerate(kernels)]
        nodes[1]["device"] = other
        return int(of(Witnessed(nodes), "write")["device_written_bytes"])

    assert written("aa") == 70 * MIB, "virtual nodes and containers share a kernel, and its disk"
    assert written("ab") == written("aa", "vdb") == (64 + 69) * MIB
    unknown = process(1, [span(0, "write", device_after=None)], host="n2")
    assert of(Witnessed([process(0, part), unknown]), "write")["device_written_bytes"] is None


def test_dirty_pages_of_a_shared_file_are_those_that_its_last_rank_saw() -> None:
    """An earlier rank looks while the others still write; each rank looks at a file of its own."""

    def wrote(rank: int, end: int, dirty: int, path: str, host: str = "n1") -> dict[str, Any]:
        look = {"files": 1, "pages": 9, "dirty_bytes": dirty, "writeback_bytes": 1}
        made = process(rank, [span(0, "write", ended_ns=end * S, unwritten=look)], host)
        return made | {"files": [made["files"][0] | {"path": path, "written_bytes": MIB}]}

    shared = of(Witnessed([wrote(0, 1, 700, "/d/a"), wrote(1, 2, 0, "/d/a")]), "write")
    assert shared["unwritten"] == {"files": 1, "pages": 9, "dirty_bytes": 0, "writeback_bytes": 1}
    own = of(Witnessed([wrote(0, 1, 700, "/d/a"), wrote(1, 2, 0, "/d/b")]), "write")
    assert own["unwritten"] == {"files": 2, "pages": 18, "dirty_bytes": 700, "writeback_bytes": 2}
    nodes = of(Witnessed([wrote(0, 1, 700, "/d/a"), wrote(1, 2, 0, "/d/a", "n2")]), "write")
    assert nodes["unwritten"]["dirty_bytes"] == 700
    assert of(Witnessed([process(0, [span(0, "write")])]), "write")["unwritten"] is None


def test_iterations_are_told_apart_by_order_and_by_bytes() -> None:
    order = [span(0, "write", 1), span(2, "read", 2), span(4, "write", 3), span(6, "read", 4)]
    assert of(Witnessed([process(0, order)]), "read", 1, 2)["called_bytes"] == 4 * MIB
    # Each phase opens twice, as rank 0 of MPI-IO does, the first time for nothing.
    twice = [span(0, "write", 1), span(1, "write", 1), span(2, "write", 3), span(3, "write", 3)]
    assert of(Witnessed([process(0, twice)]), "write", 1, 2)["called_bytes"] == 6 * MIB


def opened(at_s: float) -> dict[str, Any]:
    """An open and a close without a transfer."""
    begun = int(at_s * S)
    return span(at_s, "read", 0, ended_ns=begun + 9000, transfers_end_ns=begun + 8000, device_after=[0] * 4)


def test_opens_without_a_transfer_belong_to_no_phase() -> None:
    """Spans as the real IOR has them with MPI-IO: the window of the read does not cover the write."""
    wrote, read = span(1, "write"), span(4, "read")
    wrote |= {"device_before": [0, 0, 0, 0], "device_after": [0, 201 * MIB, 0, 201 * MIB]}
    read |= {"device_before": [0, 201 * MIB, 0, 201 * MIB]}
    read |= {"device_after": [64 * MIB, 201 * MIB, 64 * MIB, 201 * MIB]}
    first = process(0, [opened(0), opened(0.5), wrote, opened(3), opened(3.5), read, opened(9)])
    second = process(1, [opened(0), wrote, opened(3.5), read])
    seen = of(Witnessed([first, second]), "read")
    assert seen["called_bytes"] == 128 * MIB
    assert (seen["device_read_bytes"], seen["device_written_bytes"]) == (64 * MIB, 0)
    assert of(Witnessed([first, second]), "write")["device_written_bytes"] == 201 * MIB


def test_a_read_that_never_reached_the_system_is_what_follows_its_write() -> None:
    spans = [opened(0), span(1, "write"), opened(3), opened(4), span(5, "write"), opened(7)]
    seen = Witnessed([process(0, spans)])
    for iteration in (0, 1):
        assert of(seen, "read", iteration, 2)["called_bytes"] == 0
        assert of(seen, "write", iteration, 2)["called_bytes"] == 64 * MIB
    # A write that is dropped, before a read of what an older run left.
    dropped = Witnessed([process(0, [opened(0), opened(1), span(2, "read")])])
    assert of(dropped, "write")["called_bytes"] == 0


@pytest.mark.parametrize(
    "processes",
    [
        [],
        [process(0, [])],
        [process(0, [span(0, "write")], more_spans=1)],
        [process(0, [span(0, "write", 1), span(1, "write", 1), span(2, "write", 1)])],
        [process(-1, [span(0, "write")])],
    ],
    ids=["no witness", "nothing opened", "too many phases", "three for two iterations", "not a rank"],
)
def test_no_facts_where_phases_cannot_be_told_apart(processes: list[dict[str, Any]]) -> None:
    assert Witnessed(processes).of_row(row("write"), BOTH, 2, 1) == {}


def test_a_rank_that_did_not_report_leaves_no_facts() -> None:
    assert Witnessed([process(0, [span(0, "write")])]).of_row(row("write"), ("write",), 1, 2) == {}


def test_a_helper_of_a_rank_is_no_rank() -> None:
    helper = process(0, [span(0, "write", 1)]) | {"pid": 7}
    seen = Witnessed([process(0, [span(0, "write", 5)]), helper])
    assert seen.of_row(row("write"), ("write",), 1, 1)["called_bytes"] == 5 * MIB


def test_the_clocks_count_apart_and_a_short_or_interrupted_span_tells_nothing() -> None:
    def clocks(**more: int) -> tuple[object, object]:
        facts = of(Witnessed([process(0, [span(0, "write", **more)])]), "write")
        return facts["clock_error"], facts["wall_clock"]

    assert clocks() == (0, {"off_s": 0, "span_s": 1})
    assert clocks(monotonic_ns=3 * S // 2) == (0.5, {"off_s": 0, "span_s": 1})
    assert clocks(wall_ns=3 * S // 2) == (0, {"off_s": 0.5, "span_s": 1})
    assert clocks(wall_ns=-599 * S) == (0, {"off_s": -600, "span_s": 1})
    assert clocks(wall_ns=3 * S // 2, apart_ns=S // 2) == (0, {"off_s": 0, "span_s": 1})
    assert clocks(ended_ns=1000) == (None, None)


def test_bytes_of_calls_are_no_evidence_for_mappings_and_formats() -> None:
    seen = Witnessed([process(0, [span(0, "write")])])
    assert "called_bytes" not in seen.of_row(row("write", api="HDF5"), ("write",), 1, 1)
    mapped = process(0, [span(0, "write")])
    mapped["files"][0]["mappings"] = 1
    assert "called_bytes" not in of(Witnessed([mapped]), "write")


def test_the_least_size_that_a_rank_found_was_there_before() -> None:
    first, second = process(0, [span(0, "write")]), process(1, [span(0, "write")])
    first["files"][0]["existing_bytes"] = second["files"][0]["existing_bytes"] = 5
    assert of(Witnessed([first, second]), "write")["existing_bytes"] == 5
    second["files"][0]["existing_bytes"] = 0
    assert of(Witnessed([first, second]), "write")["existing_bytes"] == 0


def test_an_edited_file_is_no_evidence(tmp_path: Path) -> None:
    file = tmp_path / "witness.json"
    whole = {"schema": 1, "processes": [process(0, [span(0, "write")])]}
    file.write_text(json.dumps(whole))
    assert read_witness({"witness": file}).processes
    for text in ("{", "[]", '{"schema": 1, "processes": [{"rank": "x"}]}'):
        file.write_text(text)
        assert not read_witness({"witness": file}).processes


def counted(rank: int, host: str, names: Sequence[str] = ("nfs",), waited_ms: int = 0) -> dict[str, Any]:
    """A rank that sent 64 MiB in its second, after a second in which others sent 1 MiB for each rank before
    it and one."""
    idle = (rank + 1) * MIB
    none = [0] * 7
    begun, ended = [idle, *none[1:]], [idle + 64 * MIB, *none[1:6], waited_ms]
    wrote = span(2, "write", servers_before=[begun] * len(names), servers_after=[ended] * len(names))
    observers = [{"observer": name, "counted": "payload", "known": True, "what": ""} for name in names]
    start = {"started_ns": S, "servers_at_start": [none] * len(names), "observers": observers}
    return process(rank, [wrote], host, **start)


def test_what_others_move_on_each_node_counts_and_the_longest_wait() -> None:
    """Counts of all nodes need the idle bytes of all; three nodes that wait at a time wait once."""
    nodes = [counted(rank, f"n{rank}", waited_ms=100 + rank) for rank in range(3)]
    servers = of(Witnessed(nodes), "write")["servers"]
    (one,) = servers["observers"]
    assert (servers["idle_s"], one["sent_bytes"], one["unanswered_ms"]) == (1.0, 192 * MIB, 102)
    assert one["idle_sent_bytes"] == 6 * MIB
    nodes[2]["started_ns"] = 0  # it rested twice as long
    assert of(Witnessed(nodes), "write")["servers"]["observers"][0]["idle_sent_bytes"] == 4.5 * MIB


def test_what_a_node_does_not_observe_is_unknown() -> None:
    """Such as one that lacks the mount: not a count, and no end of the program either."""
    nodes = [counted(0, "n0", ("connections", "nfs")), counted(1, "n1", ("nfs",))]
    connections, nfs = of(Witnessed(nodes), "write")["servers"]["observers"]
    assert (connections["sent_bytes"], nfs["sent_bytes"]) == (None, 128 * MIB)
    without = counted(1, "n1", ())
    assert of(Witnessed([nodes[0], without]), "write")["servers"]["observers"][1]["sent_bytes"] is None


def test_synchronisations_of_one_rank_do_not_stand_for_another() -> None:
    """With one for each write there are more than ranks, whatever another rank does."""
    ranks = [process(0, [span(0, "write", syncs=9)]), process(1, [span(0, "write", syncs=0)])]
    assert of(Witnessed(ranks), "write")["sync_calls"] == 1
    idle = process(1, [span(0, "write", mib=0, syncs=0)])  # as beside aggregators
    assert of(Witnessed([ranks[0], idle]), "write")["sync_calls"] == 9


def turn(kind: str, operations: int) -> dict[str, Any]:
    span = {"began_ns": 0, "transfers_end_ns": 20_000_000, "syncs": 0, "written_bytes": 0}
    looked = dict.fromkeys(("sampled", "there", "cached_files", "unwritten_bytes"), 0)
    return {"kind": kind, "operations": operations, "span": span, **looked}


@pytest.mark.parametrize(("operations", "length_s"), [(500, 0.02), (502, None)])
def test_stats_of_something_else_are_no_time_of_the_access(operations: int, length_s: float | None) -> None:
    """A program looks at its directory when all files are made, and waits there for the other ranks."""
    row = {"access": "stat", "item": "file", "ops": 1000}
    facts = facts_of_turns(row, [turn("stat", 500), turn("stat", operations)])
    assert facts.get("shortest_span_s") == length_s


def test_creates_have_their_time_whatever_else_was_made() -> None:
    row = {"access": "create", "item": "file", "ops": 1000}
    assert facts_of_turns(row, [turn("create", 501)] * 2)["shortest_span_s"] == 0.02
