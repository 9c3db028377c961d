"""Records of mounts whose options decide, as in findings.py."""

from dataclasses import replace
from typing import Any

from tests.unit.audit.subjects import DONE, MIB, NAMES, behind, cases, invalid, noted, observer, ran, subject
from weir.audit import Subject


def mounted(
    observed: dict[str, Any], kind: str, settings: dict[str, str], timed_out: bool = False, **row: Any
) -> Subject:
    host = {"file_system": {"type": kind, "device": "server:/export", "settings": settings}}
    return subject(
        {**observed, "file_system": kind}, run=replace(DONE, host=host, timed_out=timed_out), **row
    )


def unsynchronised(effect: str | None, observed: dict[str, Any] | None = None, **row: Any) -> Subject:
    off = {"effect": effect, "mount": "volatile of overlay at /mnt"} if effect else None
    host = {
        "file_system": {"type": "overlay", "device": "overlay", "settings": {}, "synchronisation_off": off}
    }
    return subject({"file_system": "overlay", **(observed or {})}, run=ran(**host), **row)


FOUND = {
    "timed-out": invalid(
        "ended at the limit of 60 s on nfs4 of server:/export", mounted({}, "nfs4", {}, timed_out=True)
    ),
    "mount-decides": [
        noted("sync: each write waits for the servers", mounted({}, "nfs4", {"vers": "4.2", "sync": ""})),
        noted("nocto: an open does not ask", mounted({}, "nfs4", {"nocto": ""}, access="read")),
        noted(
            "fsc: reads may come from a cache on a disk",
            mounted(behind(observer(received=MIB)), "nfs4", {"fsc": ""}, access="read"),
        ),
        noted("local_lock=all: locks hold on one node", mounted({}, "nfs", {"local_lock": "all"})),
        noted(
            "write-behind=on: a write returns before its bytes are sent",
            mounted({}, "fuse.glusterfs", {"write-behind": "on"}, sync=False),
        ),
        noted(
            "tuneRemoteFSync=false: a synchronisation ends in the servers' memory",
            mounted({}, "beegfs", {"tuneRemoteFSync": "false"}),
        ),
        noted("before the MDS has answered", mounted({}, "ceph", {"nowsync": ""}, **NAMES)),
        noted(
            "acregmax=30: attributes of the client answer stat",
            mounted({}, "nfs4", {"acregmax": "30"}, **NAMES | {"access": "stat"}),
        ),
    ],
    "mount-without-synchronisation": [
        invalid(
            "volatile of overlay at /mnt: a synchronisation is ignored",
            unsynchronised("ignored", {"device_written_bytes": 800 * MIB}),
        ),
        invalid(
            "a synchronisation is ignored",
            unsynchronised("ignored", {"sync_files": True}, **NAMES | {"xfer_bytes": 4096}),
        ),
        noted("a synchronisation is not flushed", unsynchronised("not flushed")),
    ],
}
FINDS = cases(FOUND)
# The same options where they do not decide.
UNDECIDED: dict[str, Subject] = {
    "O_DIRECT waits by itself": mounted({"direct": True}, "nfs4", {"sync": ""}),
    "all of a read came from the servers": mounted(
        behind(observer(received=801 * MIB)), "nfs4", {"fsc": ""}, access="read"
    ),
    "write-behind ends in a synchronisation": mounted({}, "fuse.glusterfs", {"write-behind": "on"}),
    "files of one node are of one client": mounted({}, "nfs", {"local_lock": "all"}, nn=1),
    "nobody asked for a synchronisation": unsynchronised("ignored", sync=False),
    "no mount prevents a synchronisation": unsynchronised(None),
    "the files are elsewhere": replace(mounted({}, "nfs4", {"sync": ""}), observed={"file_system": "ext4"}),
}
