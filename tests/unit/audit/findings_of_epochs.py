"""As findings.py: rules about epochs of a training."""

from tests.unit.audit.subjects import MIB, cases, degraded, read

FOUND = {
    "epoch-from-memory": degraded(
        "each host read 512 MiB in an epoch and has 4 GiB of memory",
        read(
            {"memory_bytes": 4096 * MIB},
            tool="dlio",
            program="DLIO",
            iteration=1,
            nn=2,
            file_bytes=1024 * MIB,
        ),
    )
}
FINDS = cases(FOUND)
