"""Evidence of network file systems: what reaches the servers is proven, what nobody counted is not."""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.audit.subjects import (
    MIB,
    ON_NETWORK,
    behind,
    blind,
    observer,
    on_disk,
    ran,
    read,
    server,
    servers,
    subject,
)
from weir.audit import Subject, judge
from weir.audit.evidence import proof
from weir.audit.judge import Judgement, verdict_columns
from weir.audit.moved import with_debts

WHOLE = 801 * MIB


def _write(*observers: dict[str, object], **facts: object) -> Subject:
    return subject(behind(*observers, sync_calls=8, tasks=8, **facts))


def test_a_write_is_proven_to_the_servers() -> None:
    judged = judge(_write(observer(sent=WHOLE), blind()))
    assert "not-at-servers" in judged.passed
    assert "stored" not in judged.missing
    assert proof(judged.passed) == "servers"


def test_the_level_is_printed_for_valid_records_alone() -> None:
    passed = {"not-from-servers": "", "read-from-cache": ""}
    assert verdict_columns(Judgement(passed=passed))["proof"] == "servers"
    assert verdict_columns(Judgement(passed=passed, missing=("end",)))["proof"] is None
    assert verdict_columns(Judgement())["proof"] == "client"


def _devices(wrote: int = 0, gave: int = 0, **more: Any) -> dict[str, Any]:
    return observer(sent=wrote, received=gave, observer="server", counted="devices", **more)


IDLE_MIB = 4  # in 0.02 s before the access of 2 s: 400 foreign MiB


@pytest.mark.parametrize(
    ("access", "counted", "outcome"),
    [
        ("write", _devices(wrote=WHOLE), "passed"),
        ("write", _devices(wrote=WHOLE, idle_sent_bytes=IDLE_MIB * MIB), "by their rate in the rest before"),
        ("write", _devices(wrote=WHOLE + 400 * MIB, idle_sent_bytes=IDLE_MIB * MIB), "passed"),
        ("write", _devices(wrote=1190 * MIB), "passed"),
        ("write", _devices(wrote=1210 * MIB), "others wrote to them, or they hold copies or parity"),
        ("read", _devices(gave=WHOLE), "passed"),
        (
            "read",
            _devices(gave=WHOLE, idle_received_bytes=IDLE_MIB * MIB),
            "by their rate in the rest before",
        ),
        ("read", _devices(gave=1210 * MIB), "others read from them"),
    ],
)
def test_bytes_of_other_clients_prove_nothing_of_the_servers_devices(
    access: str, counted: dict[str, Any], outcome: str
) -> None:
    rule, moved = {
        "write": ("not-on-server-devices", {"sent": WHOLE}),
        "read": ("not-from-server-devices", {"received": WHOLE}),
    }[access]
    judged = judge(subject(behind(observer(**moved), counted, sync_calls=8, tasks=8), access=access))
    assert rule not in {one.rule for one in (*judged.findings, *judged.notes)}
    is_proven = outcome == "passed"
    assert (rule in judged.passed) == is_proven
    assert is_proven or outcome in judged.not_observable[rule]
    assert access == "read" or proof(judged.passed) == ("devices" if is_proven else "servers")


def test_copies_that_the_target_declares_and_journals_are_not_of_other_clients() -> None:
    twice = judge(replace(_write(observer(sent=2 * WHOLE), _devices(wrote=2 * WHOLE)), run=ON_NETWORK))
    assert "not-on-server-devices" in twice.passed
    one_by_one = _write(observer(sent=WHOLE), _devices(wrote=3 * WHOLE))
    one_by_one = replace(one_by_one, observed={**one_by_one.observed, "sync_calls": 100_000})
    assert "not-on-server-devices" in judge(one_by_one).passed


def _by_links(**moved: int) -> dict[str, Any]:
    return observer(observer="links", counted="links", **moved)


def test_links_of_a_container_may_prove_and_never_accuse() -> None:
    """A mount that the kernel or a service outside serves goes past them."""
    enough = judge(_write(_by_links(sent=WHOLE)))
    assert "not-at-servers" in enough.passed
    for about in (
        _write(_by_links(sent=MIB)),
        _write(_by_links(sent=3 * WHOLE, idle_sent_bytes=1 * MIB)),
        read(behind(_by_links(received=MIB))),
        read(behind(_by_links(received=MIB), direct=True), direct=True),
        subject(behind(_by_links(sent=WHOLE)), run=ON_NETWORK),
    ):
        judged = judge(about)
        of_links = {"not-at-servers", "not-from-servers", "others-on-servers", "copies-missing"}
        assert {*judged.not_observable} & of_links
        found = {one.rule for one in (*judged.findings, *judged.notes)}
        assert not found & {*of_links, "partly-from-cache"}


@pytest.mark.parametrize(
    ("access", "moved"), [("write", {"sent": MIB}), ("read", {"received": MIB})], ids=["write", "read"]
)
def test_a_connection_that_ended_is_a_note_and_proves_nothing(access: str, moved: dict[str, int]) -> None:
    judged = judge(subject(behind(observer(**moved, ended_connections=1)), access=access))
    assert judged.verdict == "UNPROVEN"
    assert ["connections ended meanwhile" in one.evidence for one in judged.notes] == [True]


@pytest.mark.parametrize(
    ("access", "moved"),
    [
        ("write", {"sent": WHOLE, "idle_sent_bytes": 8 * MIB}),
        ("read", {"received": WHOLE, "idle_received_bytes": 8 * MIB}),
    ],
    ids=["write", "read"],
)
def test_enough_bytes_of_which_others_may_have_moved_some_are_a_note(
    access: str, moved: dict[str, int]
) -> None:
    judged = judge(subject(behind(observer(**moved)), access=access))
    assert {"stored", "fetched"} & {*judged.missing}
    assert ["cannot be told from ours" in one.evidence for one in judged.notes] == [True]


@pytest.mark.parametrize(
    "facts",
    [
        behind(blind("connections")),
        behind(observer(sent=MIB), payload={"compressed_share": 0.2, "unique_share": 1.0}),
    ],
    ids=["no source", "compressed on its way"],
)
def test_what_cannot_be_told_proves_nothing(facts: dict[str, object]) -> None:
    judged = judge(subject({**facts, "sync_calls": 8, "tasks": 8}))
    assert "not-at-servers" in judged.not_observable
    assert "stored" in judged.missing


@pytest.mark.parametrize(
    "known",
    [{"payload": {"compressed_share": 0.2, "unique_share": 1.0}}, {"params": {"payload": "timestamp"}}],
    ids=["sampled", "chosen by the cell"],
)
def test_a_read_of_data_that_came_compressed_is_not_called_cached(known: dict[str, Any]) -> None:
    """GlusterFS with network.compression sent 19 % of the bytes. A cache leaves the requests alone."""
    sampled, params = {"payload": known.get("payload")}, known.get("params", {})
    judged = judge(_read_of(WHOLE // 5, sampled, params))
    assert "not-from-servers" in judged.not_observable
    assert "fetched" in judged.missing
    cached = judge(_read_of(WHOLE // 200, sampled, params))
    assert "not-from-servers" in {finding.rule for finding in cached.findings}
    random = judge(_read_of(WHOLE // 5, {"payload": None}, {"payload": "random"}))
    assert "not-from-servers" in {finding.rule for finding in random.findings}


def _read_of(received: int, sampled: dict[str, Any], params: dict[str, Any]) -> Subject:
    found = read(behind(observer(received=received), **sampled))
    return replace(found, cell=replace(found.cell, params={**found.cell.params, **params}))


def test_the_strictest_source_decides() -> None:
    judged = judge(_write(observer(sent=WHOLE), observer(sent=MIB, observer="nfs", counted="payload")))
    assert "not-at-servers" in {finding.rule for finding in judged.findings}


def test_the_whole_node_is_asked_only_where_nothing_else_counts() -> None:
    node = observer(sent=10 * WHOLE, observer="ports", counted="node")
    assert "not-at-servers" in judge(_write(node)).passed
    assert "not-at-servers" not in judge(_write(node, observer(sent=MIB))).passed


def test_a_write_into_the_memory_of_the_client_is_not_asked_for_bytes_at_the_servers() -> None:
    judged = judge(subject(behind(observer(sent=0)), sync=False))
    names = {*judged.passed, *judged.not_observable, *(finding.rule for finding in judged.findings)}
    assert "not-at-servers" not in names


def test_servers_that_are_slow_alike_are_not_named() -> None:
    alike = servers(server(1, waited_s=6.0, closed_s=6.0), server(2, waited_s=3.0))
    assert "slow-server" in judge(subject(alike)).passed
    far = servers(server(1, late_ms=0.1), server(2, late_ms=2.0))
    assert "slow-server" in judge(read(far)).passed


def test_a_server_is_not_named_by_a_machine_that_is_busy() -> None:
    """Processes that wait for a processor send and answer late, whichever server they serve."""
    starved = servers(server(1, waited_s=0.2), server(2, waited_s=2.4), cpu_waited_s=7.9)
    assert "slow-server" in judge(subject(starved, total_s=8.0)).not_observable
    partly = servers(server(1, waited_s=0.2), server(2, waited_s=2.4), cpu_waited_s=1.8)
    assert "slow-server" in judge(subject(partly, total_s=8.0)).passed
    slow = servers(server(1, waited_s=0.2), server(2, waited_s=6.4), cpu_waited_s=1.8)
    assert "slow-server" in {one.rule for one in judge(subject(slow, total_s=8.0)).notes}
    late = servers(server(1, late_ms=1.0), server(2, late_ms=60.0), cpu_waited_s=7.9)
    assert "slow-server" in judge(read(late, total_s=8.0)).not_observable


def test_on_a_busy_machine_another_node_that_closes_its_window_is_named() -> None:
    """Its kernel did; what waits unacknowledged, or for a server on the busy machine, tells nothing."""
    for here, closed_s, is_named in ((False, 2.2, True), (True, 2.2, False), (False, 0.7, False)):
        facts = servers(server(1, waited_s=0.2), server(2, 2.4, closed_s, here=here), cpu_waited_s=7.9)
        judged = judge(subject(facts, total_s=8.0))
        assert ("slow-server" in {one.rule for one in judged.notes}) == is_named, (here, closed_s)
        assert ("slow-server" in judged.not_observable) != is_named
    alike = servers(server(1, 4.0), server(2, 5.0, 4.5), cpu_waited_s=7.9)
    assert "slow-server" in judge(subject(alike, total_s=8.0)).not_observable


def test_bytes_of_an_earlier_write_are_not_those_of_a_later_one() -> None:
    """A client that sends each file while the next one is written: the counts of the later writes suffice."""
    sent = (0, WHOLE, WHOLE)
    judged = [judge(one) for one in with_debts([_write(observer(sent=bytes_)) for bytes_ in sent])]
    assert [one.verdict for one in judged] == ["INVALID", "UNPROVEN", "UNPROVEN"]
    assert "earlier writes left 800 MiB with the client" in judged[1].notes[0].evidence
    honest = with_debts([_write(observer(sent=WHOLE)) for _ in range(2)])
    assert all("not-at-servers" in judge(one).passed for one in honest)
    lost = with_debts([_write(observer(sent=0, ended_connections=1)), _write(observer(sent=WHOLE))])
    assert "not-at-servers" in judge(lost[1]).passed


def test_without_a_count_of_its_waits_the_load_before_the_run_tells_a_busy_machine() -> None:
    slow = servers(server(1, waited_s=0.2), server(2, waited_s=6.4))
    busy = ran(load_1min=40.0, running=41, cores=2)
    assert "slow-server" in judge(subject(slow, run=busy, total_s=8.0)).not_observable
    ended = ran(load_1min=40.0, running=1, cores=2)
    assert "slow-server" in {one.rule for one in judge(subject(slow, run=ended, total_s=8.0)).notes}


def test_a_server_with_few_bytes_is_not_compared() -> None:
    few = server(2, waited_s=6.2) | {"sent_bytes": MIB}
    judged = judge(subject(servers(server(1), few)))
    assert "slow-server" not in {*judged.passed, *(finding.rule for finding in judged.findings)}


def test_a_disk_is_proven_to_the_device_and_has_no_servers() -> None:
    judged = judge(subject(on_disk(0, WHOLE) | {"device_written_bytes": WHOLE, "sync_calls": 8, "tasks": 8}))
    assert "sync-not-effective" in judged.passed
    assert not {"not-at-servers", "others-on-servers"} & {*judged.passed, *judged.not_observable}
