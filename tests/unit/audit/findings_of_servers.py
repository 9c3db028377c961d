"""Records of network file systems, as in findings.py."""

from __future__ import annotations

from tests.unit.audit.subjects import MIB, ON_NETWORK, behind, observer, server, servers, subject
from weir.audit import Subject

FINDS: list[tuple[str, Subject, str, str]] = [
    (
        "not-at-servers",
        subject(behind(observer(sent=700 * MIB))),
        "INVALID",
        "700 MiB (connections) sent to the servers, 800 MiB written to the files",
    ),
    (
        "not-at-servers",
        subject(behind(observer(sent=840 * MIB), observer(sent=8 * MIB, observer="nfs", counted="payload"))),
        "INVALID",
        "8 MiB (nfs) sent",
    ),
    (
        "not-at-servers",
        subject(behind(observer(sent=700 * MIB, ended_connections=1))),
        "NOTE",
        "connections ended meanwhile with counts that nobody saw",
    ),
    (
        "not-from-servers",
        subject(behind(observer(received=MIB, ended_connections=1)), access="read"),
        "NOTE",
        "connections ended meanwhile with counts that nobody saw",
    ),
    (
        "not-on-server-devices",
        subject(behind(observer(sent=MIB, counted="devices", observer="server"))),
        "INVALID",
        "were written 1 MiB, 800 MiB",
    ),
    (
        "not-from-server-devices",
        subject(behind(observer(received=MIB, counted="devices", observer="server")), access="read"),
        "DEGRADED",
        "gave 1 MiB, 800 MiB were read",
    ),
    ("not-from-servers", subject(behind(observer(received=MIB)), access="read"), "DEGRADED", "1 MiB"),
    (
        "not-from-servers",
        subject(behind(observer(received=MIB), direct=True), access="read", direct=True),
        "INVALID",
        "although opened with O_DIRECT",
    ),
    (
        "others-on-servers",
        subject(behind(observer(sent=1000 * MIB, idle_sent_bytes=1 * MIB))),
        "NOTE",
        "more were sent than",
    ),
    (
        "others-on-servers",
        subject(behind(observer(received=900 * MIB, idle_received_bytes=5 * MIB)), access="read"),
        "DEGRADED",
        "by their rate in the rest before",
    ),
    (
        "network-stood-still",
        subject(behind(observer(sent=840 * MIB, unanswered_ms=5000)), total_s=8.0),
        "DEGRADED",
        "a connection waited 5 s for answers, of 8 s",
    ),
    (
        "network-stood-still",
        subject(behind(observer(sent=840 * MIB, unanswered_ms=400)), total_s=8.0),
        "NOTE",
        "waited 0.4 s",
    ),
    (
        "network-stood-still",
        subject(behind(observer(sent=840 * MIB, timeouts=5)), total_s=11.8),
        "NOTE",
        "a connection sent up to 5 times again after a timeout of 0.2 s or more, of 11.8 s",
    ),
    (
        "network-stood-still",
        subject(behind(observer(sent=840 * MIB), longest_halt_s=4.5), total_s=8.0),
        "DEGRADED",
        "all ranks 4.5 s, of 8 s",
    ),
    (
        "network-stood-still",
        subject(behind(observer(sent=840 * MIB), longest_halt_s=1.5), total_s=8.0),
        "NOTE",
        "all ranks 1.5 s, of 8 s",
    ),
    (
        "slow-server",
        subject(servers(server(1, waited_s=0.9), server(2, waited_s=6.2, closed_s=5.8)), total_s=8.0),
        "NOTE",
        "bytes waited 6.2 s in all connections to 10.0.0.2:9422, 5.8 s because it took no more; as many for "
        "another server 0.9 s, of 8 s",
    ),
    (
        "slow-server",
        subject(
            servers(server(1, late_ms=1.0), server(2, late_ms=1.2), server(3, late_ms=22)), access="read"
        ),
        "NOTE",
        "data of 10.0.0.3:9422 came 22 ms after a request, those of another server after 1.1 ms",
    ),
    (
        "copies-missing",
        subject(behind(observer(sent=900 * MIB)), run=ON_NETWORK),
        "DEGRADED",
        "1.56 GiB needed at 2 a byte",
    ),
    (
        "faster-than-the-wire",
        subject(behind(observer(sent=1700 * MIB)), run=ON_NETWORK),
        "INVALID",
        "400 MiB/s over links of 238 MiB/s",
    ),
]
