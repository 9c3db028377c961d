"""Findings about bytes and where they went: errors, synchronisation, caches, devices, sizes."""

from tests.unit.audit.subjects import (
    MIB,
    PASSES,
    alone,
    at_device,
    cases,
    degraded,
    from_disk,
    in_passes,
    invalid,
    noted,
    on_disk,
    on_file_system,
    passes_of,
    printed,
    ran,
    read,
    subject,
    unwritten,
)
from weir.audit import RunFacts, Subject


def limited(elapsed_s: float | None = None, io_stalled_us: int | None = None, **limits: int) -> Subject:
    """A write on a device whose transfers a control group limits."""
    stalled = {} if io_stalled_us is None else {"io_stalled_us": io_stalled_us}
    limit = {"device": "254:0", **limits}
    return subject(run=ran(elapsed_s=elapsed_s, block_limits=[limit], **stalled))


FOUND = {
    "exit-code": [
        invalid("exit code 134", run=RunFacts(134, False, 60.0, None)),
        invalid("no such file", run=RunFacts(None, False, 60.0, "no such file")),
    ],
    "timed-out": invalid("60 s", run=RunFacts(-9, True, 60.0, None)),
    "result-missing": invalid("no result of write", bw_mib_s=None, ops_s=None),
    "output-incomplete": [
        invalid("before its results", complete=False),
        noted("last line", {"all_results": True}, complete=False),
    ],
    "tool-error": invalid(
        "cannot write (and 1 more)", messages=printed("Exit code: 1") + printed("ERROR: cannot write")
    ),
    "mpiio-error-swallowed": invalid("No space", messages=printed("mca_fbtl_posix_pwritev: No space")),
    "transfers-retried": degraded("partial", messages=printed("task 0, partial write(), 8 of 16", "warning")),
    "sync-not-applied": [
        degraded("0 synchronisations by 8 ranks", {"sync_calls": 0, "tasks": 8}),
        degraded("3 synchronisations by 8 ranks", {"sync_calls": 3, "tasks": 8}),
        degraded("fsync", messages=printed("fsync() not supported. Using value of 0.", "warning")),
        degraded("this ran on MPIIO", alone(tool_version="3.0.1", api="MPIIO")),
        degraded("does not synchronise with IME", alone(api="IME")),
    ],
    "not-synchronised": noted("no synchronisation", alone(observed={"sync_calls": 0}, sync=False)),
    "sync-left-dirty-pages": [
        invalid(
            "after the synchronisation 12 KiB of 2 files were not written back", unwritten(2, 4096, 8192)
        ),
        invalid("41 MiB of 1 files", unwritten(1, 41 * MIB), api="HDF5"),
    ],
    "direct-not-effective": invalid(
        "12 KiB were written to loop0, 800 MiB to the files",
        at_device(0, "loop0") | {"direct": True, "device_written_bytes": 12288},
        sync=False,
        direct=True,
        cell=None,
    ),
    "device-limited": [
        noted(
            "a control group allows device 254:0 4,000 MiB/s (write_bps); the access reached 10 %",
            limited(write_bps=4000 * MIB),
        ),
        degraded(
            "254:0 410 op/s (write_iops); the access reached 98 %",
            limited(elapsed_s=4.0, io_stalled_us=1_000_000, write_iops=410),
        ),
        noted("the access reached 100 %", limited(elapsed_s=4.0, io_stalled_us=9, write_bps=401 * MIB)),
        # of the ranks' own control group, and weir's has none
        degraded(
            "a control group allows device 254:0 410 MiB/s (write_bps); the access reached 98 %",
            {
                "group": {
                    "throttled_periods": 0,
                    "block_limits": [{"device": "254:0", "write_bps": 410 * MIB}],
                }
            },
            run=ran(block_limits=[], devices=["254:0"]),
        ),
    ],
    "holes-denied": noted("3 reported holes in which there is data", {"denied_holes": 3}),
    "read-from-cache": [
        degraded("(62 %)", read(fetched_mib=500)),
        degraded("(0 %)", access="update-read", fetched_bytes=0),
        degraded(
            "30 % of the file was in the page cache before the read, after its pages were dropped",
            read({"drop_caches": True, "residency": {"before": 0.3}}, fetched_mib=800),
        ),
        degraded(
            "read 800 MiB through fuseblk, vdb gave 80 MiB (10 %)",
            read({"file_system": "fuseblk", "device": {"name": "vdb"}, "device_read_bytes": 80 * MIB}),
        ),
        degraded(
            "read 750 MiB, 300 MiB of them were fetched from storage (40 %)",
            in_passes(3, 300),
            **PASSES,
            fetched_bytes=300 * MIB,
        ),
        degraded(
            "90 % of the file was in the page cache before the read, after its pages were dropped",
            read({"drop_caches": True, "residency": {"before": 0.9}}, fetched_mib=800),
        ),
    ],
    "partly-from-cache": [
        noted("88 % of the bytes were fetched from the storage", read(fetched_mib=700)),
        noted(
            "10 % of the file was in the page cache after its pages were dropped",
            read({"drop_caches": True, "residency": {"before": 0.1}}, fetched_mib=800),
        ),
    ],
    "direct-not-applied": [
        invalid(
            "opened with flags unknown, and the page cache had 100 % of the file after the read, 0 % before",
            read({"direct": True, "residency": {"before": 0.0, "after": 1.0}}, fetched_mib=800, direct=True),
        ),
        invalid(
            "and the page cache had 800 MiB that were not written back",
            unwritten(1, 800 * MIB) | {"direct": True},
            sync=False,
            direct=True,
        ),
    ],
    "sync-not-effective": [
        invalid(
            "810 MiB were written to vda, 800 MiB to the files, of which its mirrors have 2 copies",
            at_device(810, mirrors_least=2, mirrors_most=2),
        ),
        invalid("8 MiB were written to vda1, 800 MiB to the files", at_device(8, "vda1")),
        invalid(
            "300 MiB were written to vda1, 400 MiB to the files", at_device(300, "vda1") | {"scattered": True}
        ),
    ],
    "others-on-device": [
        # the kernel counted whole folios of small writes: they hide nobody
        degraded(
            "1.17 GiB of other users beside 800 MiB", on_disk(0, 2000 * MIB) | {"dirtied_bytes": 8000 * MIB}
        ),
        degraded(
            "800 MiB of other users beside 800 MiB of this access and at most 400 MiB of the journal",
            on_disk(0, 2000 * MIB) | {"sync_calls": 12_800},
        ),
        noted("100 MiB of other users beside 800 MiB", on_disk(0, 900 * MIB)),
        degraded("vda moved 450 MiB", on_disk(400 * MIB, 850 * MIB)),
        degraded("800 MiB of other users", read(on_disk(1600 * MIB, 0), fetched_mib=800)),
    ],
    "other-target": [
        invalid("declares disk", on_file_system("fuse.ceph-fuse", "ceph-fuse")),
        invalid("the files are on fuse", on_file_system("fuse", "mfs#10.0.0.1:9421")),
        invalid("the files are on fuse.sshfs", on_file_system("fuse.sshfs", "me@host:data")),
        invalid(
            "declares parallel, the files are on fuse (over ext4)",
            on_file_system("fuse", "/lower", kind="parallel", below="ext4"),
        ),
        invalid("declares burst-buffer", on_file_system("tmpfs", "none", kind="burst-buffer")),
    ],
    "bytes-not-stored": degraded("8 MiB of 800 MiB", {"dirtied_bytes": 8 * MIB}),
    "bytes-moved": invalid("requested 800 MiB, moved 750 MiB in 2 passes", in_passes(2, 300), **PASSES),
    "file-size": invalid("moved 750 MiB of a file of 300 MiB", in_passes(3, 400), **PASSES),
    "passes-too-short": [
        noted("3 passes lasted 50 ms each", passes_of(1.0, first_s=0.05)),
        degraded("3 passes lasted 5 ms each", passes_of(1.0, first_s=0.005)),
    ],
    "later-passes-faster": [
        degraded("in 1 s; the others: 6.00 times as fast", passes_of(6.0)),
        noted("the others: 2.50 times as fast", passes_of(2.5)),
    ],
    "read-not-from-device": [
        degraded("800 MiB were fetched, vda gave 630 MiB", from_disk(630)),
        degraded("800 MiB were fetched, vda gave 300 MiB", from_disk(300)),
    ],
    "payload-reducible": [
        noted(
            "compression leaves 40 %, 100 % of the blocks are distinct, and btrfs may reduce them",
            {"payload": {"compressed_share": 0.4, "unique_share": 1.0}, "file_system": "btrfs"},
        ),
        degraded(
            "100 % of the blocks are distinct, and 320 MiB of 800 MiB were written to the device",
            alone(
                observed={
                    "payload": {"compressed_share": 0.4, "unique_share": 1.0},
                    "file_system": "btrfs",
                    "device_written_bytes": 320 * MIB,
                }
            ),
        ),
    ],
}
FINDS = cases(FOUND)
