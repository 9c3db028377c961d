from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from weir.plan import Batch
from weir.plan.allocation import OVERHEAD_S, allocation, allocations, retries, time_s
from weir.site.schedulers.slurm import named_options
from weir.terms.model import Cell, Partition

CELL = Cell("0" * 12, "cell", "s", "e", "ior", "site", "disk", "stack", "compute", 2, 4, 3, 1, 60.0, {})
BATCH = Batch("disk-stack-2x4", "compute", 2, 4, "stack", "disk", (CELL,), 600.0)
PARTITION = Partition(
    name="compute",
    nodes=10,
    cores_per_node=24,
    max_ppn=8,
    launcher="srun",
    scheduler="slurm",
    stacks=("stack",),
    time_limit_s=7200.0,
    scheduler_options=("--partition=compute", "--account", "me", "--exclusive", "--constraint=ssd&rome"),
)


def plan(batch: Batch = BATCH, partition: Partition = PARTITION) -> Any:
    site = SimpleNamespace(partitions={"compute": partition})
    return SimpleNamespace(batches=(batch,), site=site)


def test_a_batch_asks_for_its_nodes_once_and_whole() -> None:
    resources = allocation(BATCH, PARTITION)
    assert resources["nodes"] == 2
    assert resources["tasks_per_node"] == 24
    assert resources["mpi"] == "srun"
    assert resources["slurm_partition"] == "compute"
    assert resources["slurm_account"] == "me"
    assert resources["constraint"] == "ssd&rome"
    assert resources["slurm_extra"] == "--exclusive --dependency=singleton --open-mode=append"


def test_a_partition_without_a_queue_asks_for_nothing() -> None:
    partition = replace(PARTITION, scheduler="local")
    assert allocation(BATCH, partition) == {}
    assert allocations(plan(partition=partition)) == {}
    assert retries(plan(partition=partition)) == 0


def test_the_executor_refuses_mpi_for_one_task_so_single_core_nodes_do_without() -> None:
    assert "mpi" not in allocation(BATCH, replace(PARTITION, cores_per_node=1))


def test_time_has_a_margin_and_ends_at_the_partitions_limit() -> None:
    assert time_s(BATCH, PARTITION) == 600 * 2 + OVERHEAD_S
    assert time_s(replace(BATCH, estimated_s=1e6), PARTITION) == 7200
    assert time_s(replace(BATCH, estimated_s=1e6), replace(PARTITION, time_limit_s=0.0)) > 1e6


def test_time_is_enough_for_the_cell_with_the_longest_limit() -> None:
    slow = replace(CELL, timeout_s=5000.0)
    assert time_s(replace(BATCH, cells=(CELL, slow)), PARTITION) == 5000 + OVERHEAD_S


def test_a_batch_longer_than_the_limit_may_come_back_until_it_is_through() -> None:
    assert retries(plan()) == 2
    assert retries(plan(replace(BATCH, estimated_s=5 * 7200.0))) == 9 + 2


def test_a_cell_with_the_limit_of_a_job_is_the_first_of_one() -> None:
    """The suite has it as its own timeout; what weir chooses leaves room for others."""
    slow = replace(CELL, timeout_s=7000.0, rounds=5)
    assert retries(plan(replace(BATCH, cells=(CELL, slow)))) == 5 - 1 + 2


def test_resources_are_functions_of_the_batch() -> None:
    resources = allocations(plan())
    assert resources["nodes"](SimpleNamespace(batch=BATCH.batch)) == 2


@pytest.mark.parametrize(
    ("scheduler_options", "expected"),
    [
        ([], {}),
        (["-p", "x", "-A", "y"], {"slurm_partition": "x", "slurm_account": "y"}),
        (["--qos=long"], {"qos": "long"}),
        (["--switches=1", "--exclude=n1"], {"slurm_extra": "--switches=1 --exclude=n1"}),
        (["--comment=two arguments"], {"slurm_extra": "'--comment=two arguments'"}),
    ],
)
def test_options_of_the_site_reach_the_executor(
    scheduler_options: list[str], expected: dict[str, str]
) -> None:
    assert named_options(scheduler_options) == expected
