"""Which offsets each rank asks for, in which order; read from the trace of the null back end."""

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.engine.runs import Engine, mpirun, open_mpi, trace
from tests.programs import ran, write_program

K = 1024
SHAPE = ["-a", "NULL", "-b", "64k", "-t", "8k", "-s", 3, "-o", "none"]
TRANSFERS = 8  # of a block


def traced(engine: Engine, *arguments: object, ranks: int) -> list[list[tuple[str, int, int]]]:
    engine.good(*SHAPE, *arguments, "--null.trace", engine.folder / "trace", ranks=ranks)
    return trace(engine.folder, "trace", ranks)


def test_sequential_offsets_of_a_shared_file(engine: Engine) -> None:
    for rank, operations in enumerate(traced(engine, "-w", ranks=2)):
        assert operations == [
            ("write", (segment * 2 + rank) * 64 * K + i * 8 * K, 8 * K)
            for segment in range(3)
            for i in range(TRANSFERS)
        ]


def test_sequential_offsets_of_own_files(engine: Engine) -> None:
    for operations in traced(engine, "-w", "-F", ranks=2):
        assert [offset for _, offset, _ in operations] == [i * 8 * K for i in range(3 * TRANSFERS)]


def test_random_order_visits_every_offset_of_a_shared_file_once(engine: Engine) -> None:
    by_rank = traced(engine, "-w", "-z", "--random-offset-seed", 11, ranks=3)
    seen = Counter(offset for operations in by_rank for _, offset, _ in operations)
    assert seen == Counter(i * 8 * K for i in range(3 * 3 * TRANSFERS))
    assert any([o for _, o, _ in operations] != sorted(o for _, o, _ in operations) for operations in by_rank)


def test_random_order_visits_every_offset_of_own_files_once(engine: Engine) -> None:
    by_rank = traced(engine, "-w", "-F", "-z", ranks=2)
    orders = [[offset for _, offset, _ in operations] for operations in by_rank]
    for order in orders:
        assert sorted(order) == [i * 8 * K for i in range(3 * TRANSFERS)]
        assert order != sorted(order)
    assert orders[0] != orders[1]


def test_a_read_in_random_order_asks_for_what_was_written(engine: Engine) -> None:
    for operations in traced(engine, "-w", "-r", "-z", ranks=2):
        half = len(operations) // 2
        assert [o for _, o, _ in operations[:half]] == [o for _, o, _ in operations[half:]]
        assert {word for word, _, _ in operations[half:]} == {"read"}


def readers_source(engine: Engine, *arguments: object, ranks: int) -> list[int]:
    """For each rank, the rank that wrote what it reads."""
    by_rank = traced(engine, "-w", "-r", "-s", 1, *arguments, ranks=ranks)
    first_reads = [next(offset for word, offset, _ in ops if word == "read") for ops in by_rank]
    return [offset // (64 * K) for offset in first_reads]


@pytest.mark.parametrize(
    ("arguments", "sources"),
    [
        (["-C"], [0, 1, 2, 3]),  # one node: its next node is itself, as in IOR
        (["-C", "-O", "numTasksOnNode0=1"], [1, 2, 3, 0]),
        (["-C", "-Q", 3, "-O", "numTasksOnNode0=1"], [3, 0, 1, 2]),
        (["-C", "-O", "numTasksOnNode0=2"], [2, 3, 0, 1]),
        (["-Z", "-X", 5], [3, 2, 3, 3]),
        (["-Z", "-O", "numTasksOnNode0=1,numNodes=4"], [3, 0, 0, 1]),
        (["-Z", "-Z", "-X", 9], [3, 0, 1, 2]),
    ],
)
def test_whose_data_is_read(engine: Engine, arguments: list[object], sources: list[int]) -> None:
    """The random ones are what IOR reads for the same seed, by the numbers of the GNU C library."""
    assert readers_source(engine, *arguments, ranks=4) == sources


# Stands for ssh, so that mpirun starts its daemons of two "nodes" here.
FAKE_SSH = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
shift
exec sh -c "$*"
"""


@pytest.mark.parametrize(("placement", "sources"), [("slot", [2, 3, 0, 1]), ("node", [1, 2, 3, 0])])
def test_constant_shift_reads_from_the_next_node(
    engine: Engine, tmp_path: Path, placement: str, sources: list[int]
) -> None:
    agent = write_program(tmp_path / "ssh", FAKE_SSH)
    arguments = [mpirun(), "--host", "alpha:2,beta:2", "--map-by", placement, "-n", "4"]
    arguments += ["--mca", "plm_rsh_agent", str(agent), "--mca", "pml", "ob1", "--mca", "btl", "self,tcp"]
    arguments += ["--mca", "btl_tcp_if_include", "lo", "--mca", "oob_tcp_if_include", "lo"]
    arguments += [str(engine.program), "ior", *(str(word) for word in SHAPE)]
    arguments += ["-s", "1", "-w", "-r", "-g", "-C", "--null.trace", str(tmp_path / "trace")]
    done = ran(arguments, env={**os.environ, **open_mpi()}, timeout=60)
    if done.returncode != 0 and "weir-io" not in done.stdout:
        pytest.skip(f"this MPI cannot start two nodes on one machine: {done.stderr.strip()[:200]}")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^nodes +: 2$", done.stdout, re.MULTILINE)
    by_rank = trace(tmp_path, "trace", 4)
    assert [next(o for word, o, _ in ops if word == "read") // (64 * K) for ops in by_rank] == sources
