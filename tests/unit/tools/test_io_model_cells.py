"""Cells of the tool io-model: command line, cost, label, and invalid combinations."""

from functools import partial
from typing import Any

import pytest

from tests.unit.tools.cells import DISK, NATIVE, assert_problem, cell_of, command_of
from weir.records.model import Cell, Target
from weir.tools import madbench
from weir.tools.base import Tool
from weir.tools.io_model import TOOL

MEMORY = Target("memory", "memory", "/dev/shm")
WEIR_IO = ("build/weir-io", "io-model")
cell = partial(cell_of, TOOL)


def command(one: Cell) -> str:
    return command_of(TOOL, one, *WEIR_IO)


def test_command_of_a_write() -> None:
    one = cell(access=["write"], order="random", operations=10000, iterations=2)
    assert command(one) == (
        "build/weir-io io-model -a POSIX -w -n 10000 -t 16384 -b 163840000 -f rnd -m off0"
        " --align 1 -c untouched -i 2 --seed 0 --truncate -e"
        " --json /results/000/summary.json -o /data/run/data"
    )


def test_what_is_only_read_is_written_before() -> None:
    """A run starts in an empty folder; a read has nothing to synchronise."""
    one = cell(access=["read"], xfer_bytes=2**20, operations=1024, locality="stride1m", file_size_bytes=2**34)
    assert " -r -n 1024 -t 1048576 -b 17179869184 -f stride1m " in command(one)
    assert " --prefill --json " in command(one)
    cost = TOOL.footprint(one)
    assert (cost.written_bytes, cost.read_bytes, cost.peak_bytes) == (2**34, 2**30, 2**34)
    assert (cost.operations, cost.inodes) == (1024, 1)


def test_cost_of_writes_and_comparisons() -> None:
    cost = TOOL.footprint(cell(iterations=3, ppn=2, verify=True))
    rank_bytes = 1000 * 16384
    assert cost.written_bytes == 6 * rank_bytes
    assert (cost.read_bytes, cost.peak_bytes) == (12 * rank_bytes, 2 * rank_bytes)
    discarded = TOOL.footprint(cell(cache="discarded"))
    assert (discarded.written_bytes, discarded.read_bytes, discarded.peak_bytes) == (0, 0, 0)


def test_times_and_counters_stay_with_the_results() -> None:
    one = cell(times=True, sample=0.5, counters="/proc/vmstat")
    arguments = "--times /results/000/operations --samples /results/000/counters --sample-every 0.5"
    assert f" {arguments} --counters /proc/vmstat " in command(one)


def test_the_original_is_not_run() -> None:
    assert "'io-model' does not print what a record needs" in str(TOOL.unsupported(cell(), ["io-model"]))


def test_label_says_what_differs() -> None:
    assert TOOL.label(cell().params) == "POSIX write+read sequential 16 KiB x 1000"
    one = cell(access=["read"], order="random", locality="rnd8m", cache="uncached", verify=True, sync=False)
    assert TOOL.label(one.params) == "POSIX read random rnd8m 16 KiB x 1000 uncached verify no-sync"


@pytest.mark.parametrize(
    ("params", "phrase"),
    [
        ({"locality": "zigzag"}, "is none of off0, seq"),
        ({"memory_locality": "rnd1,2"}, "is none of off0, seq"),
        ({"locality": "rnd8m", "operations": 4096, "access": ["read"]}, "order must be random too"),
        ({"locality": "seq", "order": "random", "access": ["read"]}, "order must be sequential too"),
        ({"locality": "stride1g", "access": ["read"]}, "reaches further than the file"),
        ({"memory_locality": "stride1m", "memory_bytes": 2**20}, "reaches further than memory"),
        ({"file_size_bytes": 2**20}, "only 64 of 1000 sequential operations"),
        ({"file_size_bytes": 100, "access": ["read"]}, "cannot hold 16 KiB"),
        ({"operations": 2**25}, "whose times can be kept"),
        ({"order": "random"}, "leaves holes that the read would meet"),
        ({"access": []}, "access is empty"),
        ({"counters": "/proc/vmstat"}, "give sample"),
        ({"direct": True}, "align: 4 KiB"),
        ({"api": "MPIIO", "direct": True, "align_bytes": 4096}, "cannot open a file with O_DIRECT"),
        ({"api": "NULL", "verify": True}, "could be compared"),
        ({"api": "MPIIO", "cache": "discarded"}, "goes to /dev/null"),
        ({"cache": "discarded", "verify": True}, "has no file"),
        ({"api": "NULL", "cache": "cached"}, "steers the page cache"),
        ({"api": "IME"}, "needs a target with the prefix"),
    ],
)
def test_what_cannot_mean_anything(params: dict[str, Any], phrase: str) -> None:
    assert_problem(TOOL, cell(**params), phrase)


@pytest.mark.parametrize("tool", [TOOL, madbench.TOOL], ids=lambda tool: tool.name)
def test_a_prefix_needs_its_interface(tool: Tool) -> None:
    refused = "POSIX cannot open a path with the prefix ime:// of target native"
    assert tool.problems(cell_of(tool), NATIVE) == [refused]
    assert tool.problems(cell_of(tool, api="IME"), NATIVE) == []


def test_memory_has_no_cache_above_it() -> None:
    uncached = cell(cache="uncached")
    assert TOOL.problems(uncached, DISK) == []
    assert TOOL.problems(uncached, MEMORY) == [
        "cache: uncached has no effect on memory, which is memory itself"
    ]
