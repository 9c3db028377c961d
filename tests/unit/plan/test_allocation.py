"""The jobs of a plan: what is packed into one, and its allocation."""

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.checkout import SITE, SUITE, load, make_checkout
from weir.plan import Batch, Plan, make_plan
from weir.plan.allocation import MARGIN, OVERHEAD_S, allocation, allocations, overhead_s, retries, time_s
from weir.plan.card import cost_card
from weir.records.model import Cell, Partition
from weir.site.schedulers.slurm import named_options


def plan_of(folder: Path, limit: str, cells: int) -> Plan:
    """So many cells of some 2 s in one geometry, with a queue in front of the nodes."""
    site = SITE.replace("scheduler: local", f"scheduler: slurm, time_limit: {limit}")
    sizes = ", ".join(f"{number} KiB" for number in range(1, cells // 2 + 1))
    suite = SUITE.replace("ppn: [1, 2]", "ppn: [2]").replace("[16 KiB, 1 MiB]", f"[{sizes}]")
    return make_plan(load(make_checkout(folder, {"mine": suite}, site)))


@pytest.mark.parametrize(("limit", "jobs"), [("8 h", 1), ("1 h", 2), ("30 min", 3)])
def test_a_thousand_cells_in_few_jobs(tmp_path: Path, limit: str, jobs: int) -> None:
    plan = plan_of(tmp_path, limit, 1000)
    partition = plan.site.partitions["node"]
    assert len(plan.cells) == len({cell.cell for cell in plan.cells}) == 1000
    least = plan.cost.estimated_s * MARGIN / (partition.time_limit_s - overhead_s(partition))
    assert len(plan.batches) == math.ceil(least) == jobs
    names = ["disk-plain-1x2", "disk-plain-1x2-part2", "disk-plain-1x2-part3"]
    assert [batch.batch for batch in plan.batches][:3] == names[: len(plan.batches)]
    for batch in plan.batches:
        assert batch.estimated_s * MARGIN + overhead_s(partition) <= time_s(batch, partition) + 0.01
        assert time_s(batch, partition) <= partition.time_limit_s
    assert retries(plan) == 2  # none of them needs a second job


def test_a_part_is_a_sample_of_all_sizes_in_the_order_of_the_plan(tmp_path: Path) -> None:
    """Else one day would measure small transfers, and another one large ones."""
    plan = plan_of(tmp_path, "1 h", 1000)
    assert len(plan.batches) > 1
    for batch in plan.batches[:-1]:
        sizes = [cell.params["xfer_bytes"] for cell in batch.cells if cell.params["api"] == "POSIX"]
        assert sizes == sorted(sizes)
        assert sizes[0] < 50 * 1024
        assert sizes[-1] > 450 * 1024


@pytest.mark.slow
def test_a_new_cell_moves_few_of_the_others(tmp_path: Path) -> None:
    before, after = plan_of(tmp_path / "a", "1 h", 1000), plan_of(tmp_path / "b", "1 h", 1002)
    place = {cell.cell: batch.batch for batch in after.batches for cell in batch.cells}
    moved = [cell for batch in before.batches for cell in batch.cells if place[cell.cell] != batch.batch]
    assert len(moved) < 10 * len(before.batches)


def test_a_cell_longer_than_the_limit_has_a_batch_and_several_jobs(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "3 s", 4)
    assert [len(batch.cells) for batch in plan.batches] == [1] * 4
    assert retries(plan) > 2


def test_the_card_says_what_was_split_and_why(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "1 h", 1000)
    card = cost_card(plan)
    assert f"note: one batch became {len(plan.batches)}: node ends a job after 1 h" in card
    assert "disk-plain-1x2-part2  node" in card
    assert "became" not in cost_card(plan_of(tmp_path / "all", "8 h", 1000))


def test_a_limit_that_weir_chooses_leaves_room_in_the_job(tmp_path: Path) -> None:
    """Twenty times the expectation would be most of the job: each cell would want a job of its own."""
    site = SITE.replace("launch: 1 s", "launch: 1 min").replace("scheduler: local", "scheduler: slurm")
    suite = SUITE.replace("ppn: [1, 2]", "ppn: [2]")

    def limits_s(limit: str, folder: str) -> set[float]:
        timed = site.replace("scheduler: slurm", f"scheduler: slurm, time_limit: {limit}")
        plan = make_plan(load(make_checkout(tmp_path / folder, {"mine": suite}, timed)))
        assert retries(plan) == 2
        return {round(cell.timeout_s / 60) for cell in plan.cells}

    assert limits_s("24 h", "long") == {20}
    assert limits_s("1 h", "short") == {15}


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
        (["--comment=two arguments"], {"slurm_extra": "--comment='two arguments'"}),
    ],
)
def test_options_of_the_site_reach_the_executor(
    scheduler_options: list[str], expected: dict[str, str]
) -> None:
    assert named_options(scheduler_options) == expected
