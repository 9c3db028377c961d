"""Findings about bytes and where they went: errors, synchronisation, caches, devices, sizes."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.audit.subjects import (
    DONE,
    MIB,
    PASSES,
    alone,
    from_disk,
    on_disk,
    on_file_system,
    passes_of,
    printed,
    subject,
)
from weir.audit import RunFacts, Subject

FINDS: list[tuple[str, Subject, str, str]] = [
    ("exit-code", subject(run=RunFacts(134, False, 60.0, None)), "INVALID", "exit code 134"),
    ("exit-code", subject(run=RunFacts(None, False, 60.0, "no such file")), "INVALID", "no such file"),
    ("timed-out", subject(run=RunFacts(-9, True, 60.0, None)), "INVALID", "60 s"),
    ("result-missing", subject(bw_mib_s=None, ops_s=None), "INVALID", "no result of write"),
    ("output-incomplete", subject(complete=False), "INVALID", "before its results"),
    ("output-incomplete", subject({"all_results": True}, complete=False), "NOTE", "last line"),
    (
        "tool-error",
        subject(messages=printed("Exit code: 1") + printed("ERROR: cannot write")),
        "INVALID",
        "cannot write (and 1 more)",
    ),
    (
        "mpiio-error-swallowed",
        subject(messages=printed("mca_fbtl_posix_pwritev: No space")),
        "INVALID",
        "No space",
    ),
    (
        "transfers-retried",
        subject(messages=printed("task 0, partial write(), 8 of 16", "warning")),
        "DEGRADED",
        "partial",
    ),
    ("sync-not-applied", subject({"sync_calls": 0, "tasks": 8}), "DEGRADED", "0 synchronisations by 8 ranks"),
    ("sync-not-applied", subject({"sync_calls": 3, "tasks": 8}), "DEGRADED", "3 synchronisations by 8 ranks"),
    (
        "sync-not-applied",
        subject(messages=printed("fsync() not supported. Using value of 0.", "warning")),
        "DEGRADED",
        "fsync",
    ),
    ("sync-not-applied", alone(tool_version="3.0.1", api="MPIIO"), "DEGRADED", "this ran on MPIIO"),
    ("sync-not-applied", alone(api="IME"), "DEGRADED", "does not synchronise with IME"),
    ("not-synchronised", alone(observed={"sync_calls": 0}, sync=False), "NOTE", "no synchronisation"),
    (
        "sync-left-dirty-pages",
        subject({"unwritten": {"files": 2, "pages": 9, "dirty_bytes": 4096, "writeback_bytes": 8192}}),
        "INVALID",
        "after the synchronisation 12 KiB of 2 files were not written back",
    ),
    (
        "sync-left-dirty-pages",
        subject(
            {"unwritten": {"files": 1, "pages": 9, "dirty_bytes": 41 * MIB, "writeback_bytes": 0}}, api="HDF5"
        ),
        "INVALID",
        "41 MiB of 1 files",
    ),
    (
        "direct-not-effective",
        subject(
            {"direct": True, "device": {"name": "loop0"}, "device_written_bytes": 12288},
            sync=False,
            direct=True,
            cell=None,
        ),
        "INVALID",
        "12 KiB were written to loop0, 800 MiB to the files",
    ),
    (
        "device-limited",
        subject(run=replace(DONE, host={"block_limits": [{"device": "254:0", "write_bps": 4000 * MIB}]})),
        "NOTE",
        "a control group allows device 254:0 4,000 MiB/s (write_bps); the access reached 10 %",
    ),
    (
        "device-limited",
        subject(
            run=replace(
                DONE,
                elapsed_s=4.0,
                host={"block_limits": [{"device": "254:0", "write_iops": 410}], "io_stalled_us": 1_000_000},
            )
        ),
        "DEGRADED",
        "254:0 410 op/s (write_iops); the access reached 98 %",
    ),
    (
        "device-limited",
        subject(
            run=replace(
                DONE,
                elapsed_s=4.0,
                host={"block_limits": [{"device": "254:0", "write_bps": 401 * MIB}], "io_stalled_us": 9},
            )
        ),
        "NOTE",
        "the access reached 100 %",
    ),
    (
        "device-limited",  # of the ranks' own control group, and weir's has none
        subject(
            {
                "group": {
                    "throttled_periods": 0,
                    "block_limits": [{"device": "254:0", "write_bps": 410 * MIB}],
                }
            },
            run=replace(DONE, host={"block_limits": [], "devices": ["254:0"]}),
        ),
        "DEGRADED",
        "a control group allows device 254:0 410 MiB/s (write_bps); the access reached 98 %",
    ),
    ("holes-denied", subject({"denied_holes": 3}), "NOTE", "3 reported holes in which there is data"),
    ("read-from-cache", subject(access="read", fetched_bytes=500 * MIB), "DEGRADED", "(62 %)"),
    ("read-from-cache", subject(access="update-read", fetched_bytes=0), "DEGRADED", "(0 %)"),
    (
        "read-from-cache",
        subject({"drop_caches": True, "residency": {"before": 0.3}}, access="read", fetched_bytes=800 * MIB),
        "DEGRADED",
        "30 % of the file was in the page cache before the read, after its pages were dropped",
    ),
    (
        "read-from-cache",
        subject(
            {"file_system": "fuseblk", "device": {"name": "vdb"}, "device_read_bytes": 80 * MIB},
            access="read",
        ),
        "DEGRADED",
        "read 800 MiB through fuseblk, vdb gave 80 MiB (10 %)",
    ),
    (
        "partly-from-cache",
        subject(access="read", fetched_bytes=700 * MIB),
        "NOTE",
        "88 % of the bytes were fetched from the storage",
    ),
    (
        "partly-from-cache",
        subject({"drop_caches": True, "residency": {"before": 0.1}}, access="read", fetched_bytes=800 * MIB),
        "NOTE",
        "10 % of the file was in the page cache after its pages were dropped",
    ),
    (
        "direct-not-applied",
        subject(
            {"direct": True, "residency": {"before": 0.0, "after": 1.0}},
            access="read",
            direct=True,
            fetched_bytes=800 * MIB,
        ),
        "INVALID",
        "opened with flags unknown, and the page cache had 100 % of the file after the read, 0 % before it",
    ),
    (
        "direct-not-applied",
        subject(
            {
                "direct": True,
                "unwritten": {"files": 1, "pages": 9, "dirty_bytes": 800 * MIB, "writeback_bytes": 0},
            },
            sync=False,
            direct=True,
        ),
        "INVALID",
        "and the page cache had 800 MiB that were not written back",
    ),
    (
        "sync-not-effective",
        subject(
            {
                "device": {"name": "vda", "mirrors_least": 2, "mirrors_most": 2},
                "device_written_bytes": 810 * MIB,
            }
        ),
        "INVALID",
        "810 MiB were written to vda, 800 MiB to the files, of which its mirrors have 2 copies",
    ),
    (
        "others-on-device",  # the kernel counted whole folios of small writes: they hide nobody
        subject(on_disk(0, 2000 * MIB) | {"dirtied_bytes": 8000 * MIB}),
        "DEGRADED",
        "1.17 GiB of other users beside 800 MiB",
    ),
    (
        "others-on-device",
        subject(on_disk(0, 2000 * MIB) | {"sync_calls": 12_800}),
        "DEGRADED",
        "800 MiB of other users beside 800 MiB of this access and at most 400 MiB of the journal",
    ),
    ("other-target", on_file_system("fuse.ceph-fuse", "ceph-fuse"), "INVALID", "declares disk"),
    ("other-target", on_file_system("fuse", "mfs#10.0.0.1:9421"), "INVALID", "the files are on fuse"),
    ("other-target", on_file_system("fuse.sshfs", "me@host:data"), "INVALID", "the files are on fuse.sshfs"),
    (
        "other-target",
        on_file_system("fuse", "/lower", kind="parallel", below="ext4"),
        "INVALID",
        "declares parallel, the files are on fuse (over ext4)",
    ),
    (
        "other-target",
        on_file_system("tmpfs", "none", kind="burst-buffer"),
        "INVALID",
        "declares burst-buffer",
    ),
    ("bytes-not-stored", subject({"dirtied_bytes": 8 * MIB}), "DEGRADED", "8 MiB of 800 MiB"),
    (
        "sync-not-effective",
        subject({"device": {"name": "vda1"}, "device_written_bytes": 8 * MIB}),
        "INVALID",
        "8 MiB were written to vda1, 800 MiB to the files",
    ),
    (
        "sync-not-effective",
        subject({"device": {"name": "vda1"}, "device_written_bytes": 300 * MIB, "scattered": True}),
        "INVALID",
        "300 MiB were written to vda1, 400 MiB to the files",
    ),
    (
        "others-on-device",
        subject(on_disk(0, 900 * MIB)),
        "NOTE",
        "100 MiB of other users beside 800 MiB",
    ),
    ("others-on-device", subject(on_disk(400 * MIB, 850 * MIB)), "DEGRADED", "vda moved 450 MiB"),
    (
        "others-on-device",
        subject(on_disk(1600 * MIB, 0), access="read", fetched_bytes=800 * MIB),
        "DEGRADED",
        "800 MiB of other users",
    ),
    (
        "bytes-moved",
        subject({"passes": {"count": 2}, "written_bytes": 300 * MIB, "stonewall": {"hit": True}}, **PASSES),
        "INVALID",
        "requested 800 MiB, moved 750 MiB in 2 passes",
    ),
    (
        "file-size",
        subject({"passes": {"count": 3}, "written_bytes": 400 * MIB, "stonewall": {"hit": True}}, **PASSES),
        "INVALID",
        "moved 750 MiB of a file of 300 MiB",
    ),
    (
        "read-from-cache",
        subject(
            {"passes": {"count": 3}, "written_bytes": 300 * MIB, "stonewall": {"hit": True}},
            **PASSES,
            fetched_bytes=300 * MIB,
        ),
        "DEGRADED",
        "read 750 MiB, 300 MiB of them were fetched from storage (40 %)",
    ),
    (
        "read-from-cache",
        subject({"drop_caches": True, "residency": {"before": 0.9}}, access="read", fetched_bytes=800 * MIB),
        "DEGRADED",
        "90 % of the file was in the page cache before the read, after its pages were dropped",
    ),
    ("passes-too-short", passes_of(1.0, first_s=0.05), "NOTE", "3 passes lasted 50 ms each"),
    ("passes-too-short", passes_of(1.0, first_s=0.005), "DEGRADED", "3 passes lasted 5 ms each"),
    ("later-passes-faster", passes_of(6.0), "DEGRADED", "in 1 s; the others: 6.00 times as fast"),
    ("later-passes-faster", passes_of(2.5), "NOTE", "the others: 2.50 times as fast"),
    ("read-not-from-device", from_disk(630), "DEGRADED", "800 MiB were fetched, vda gave 630 MiB"),
    ("read-not-from-device", from_disk(300), "DEGRADED", "800 MiB were fetched, vda gave 300 MiB"),
    (
        "payload-reducible",
        subject({"payload": {"compressed_share": 0.4, "unique_share": 1.0}, "file_system": "btrfs"}),
        "NOTE",
        "compression leaves 40 %, 100 % of the blocks are distinct, and btrfs may reduce them",
    ),
    (
        "payload-reducible",
        alone(
            observed={
                "payload": {"compressed_share": 0.4, "unique_share": 1.0},
                "file_system": "btrfs",
                "device_written_bytes": 320 * MIB,
            }
        ),
        "DEGRADED",
        "100 % of the blocks are distinct, and 320 MiB of 800 MiB were written to the device",
    ),
]
