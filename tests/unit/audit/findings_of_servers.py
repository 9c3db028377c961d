"""Records of network file systems, as in findings.py."""

from tests.unit.audit.subjects import (
    MIB,
    ON_NETWORK,
    behind,
    cases,
    degraded,
    invalid,
    noted,
    observer,
    read,
    server,
    servers,
)

FOUND = {
    "not-at-servers": [
        invalid(
            "700 MiB (connections) sent to the servers, 800 MiB written to the files",
            behind(observer(sent=700 * MIB)),
        ),
        invalid(
            "8 MiB (nfs) sent",
            behind(observer(sent=840 * MIB), observer(sent=8 * MIB, observer="nfs", counted="payload")),
        ),
        noted(
            "connections ended meanwhile with counts that nobody saw",
            behind(observer(sent=700 * MIB, ended_connections=1)),
        ),
    ],
    "not-from-servers": [
        noted(
            "connections ended meanwhile with counts that nobody saw",
            read(behind(observer(received=MIB, ended_connections=1))),
        ),
        degraded("1 MiB", read(behind(observer(received=MIB)))),
        invalid(
            "although opened with O_DIRECT", read(behind(observer(received=MIB), direct=True), direct=True)
        ),
    ],
    "not-on-server-devices": invalid(
        "were written 1 MiB, 800 MiB", behind(observer(sent=MIB, counted="devices", observer="server"))
    ),
    "not-from-server-devices": degraded(
        "gave 1 MiB, 800 MiB were read",
        read(behind(observer(received=MIB, counted="devices", observer="server"))),
    ),
    "others-on-servers": [
        noted("more were sent than", behind(observer(sent=1000 * MIB, idle_sent_bytes=1 * MIB))),
        degraded(
            "by their rate in the rest before",
            read(behind(observer(received=900 * MIB, idle_received_bytes=5 * MIB))),
        ),
    ],
    "network-stood-still": [
        degraded(
            "a connection waited 5 s for answers, of 8 s",
            behind(observer(sent=840 * MIB, unanswered_ms=5000)),
            total_s=8.0,
        ),
        noted("waited 0.4 s", behind(observer(sent=840 * MIB, unanswered_ms=400)), total_s=8.0),
        noted(
            "a connection sent up to 5 times again after a timeout of 0.2 s or more, of 11.8 s",
            behind(observer(sent=840 * MIB, timeouts=5)),
            total_s=11.8,
        ),
        degraded(
            "all ranks 4.5 s, of 8 s", behind(observer(sent=840 * MIB), longest_halt_s=4.5), total_s=8.0
        ),
        noted("all ranks 1.5 s, of 8 s", behind(observer(sent=840 * MIB), longest_halt_s=1.5), total_s=8.0),
    ],
    "slow-server": [
        noted(
            "bytes waited 6.2 s in all connections to 10.0.0.2:9422, 5.8 s because it took no more; "
            "as many for another server 0.9 s, of 8 s",
            servers(server(1, waited_s=0.9), server(2, waited_s=6.2, closed_s=5.8)),
            total_s=8.0,
        ),
        noted(
            "data of 10.0.0.3:9422 came 22 ms after a request, those of another server after 1.1 ms",
            read(servers(server(1, late_ms=1.0), server(2, late_ms=1.2), server(3, late_ms=22))),
        ),
    ],
    "copies-missing": degraded(
        "1.56 GiB needed at 2 a byte", behind(observer(sent=900 * MIB)), run=ON_NETWORK
    ),
    "faster-than-the-wire": invalid(
        "400 MiB/s over links of 238 MiB/s", behind(observer(sent=1700 * MIB)), run=ON_NETWORK
    ),
}
FINDS = cases(FOUND)
