import os
import resource
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.checkout import shipped
from tests.unit.measure.alone import on_the_path
from weir.measure import preflight
from weir.measure.preflight import check_batch, check_inodes, check_kind, check_space, inodes_of
from weir.measure.ranks import check_ranks
from weir.plan import make_plan
from weir.plan.cost import LAUNCH_EXECUTIONS
from weir.records.model import Stack, Target
from weir.tools import tools

TARGET = Target(name="disk", kind="disk", path="/target")
CONFIG = shipped("local", ["quick"], targets=["disk"])
CELLS = make_plan(CONFIG).cells


@pytest.mark.parametrize(
    ("rounds", "program", "directories"),
    [(10, "weir-io ior", 20), (10 * LAUNCH_EXECUTIONS, "weir-io ior", LAUNCH_EXECUTIONS), (10, "ior", 1)],
)
def test_the_inodes_of_all_directories_of_a_launch_count(rounds: int, program: str, directories: int) -> None:
    """A launch makes them all at its start; besides there are the workspace, its marker and the lock."""
    stack = Stack("mine", {"ior": tuple(program.split())})
    cells = [replace(cell, rounds=rounds) for cell in CELLS[:2]]
    files = max(tools()["ior"].footprint(cell).inodes for cell in cells)
    assert inodes_of(cells, stack) == files + directories + 3


@pytest.mark.parametrize("limit", [100, 204, 205])
def test_what_the_plan_lets_through_is_not_too_much_for_the_preflight(limit: int) -> None:
    """Both count alike, though the plan does not know yet which executions share a launch."""
    site = replace(CONFIG.site, targets={"disk": replace(CONFIG.site.targets["disk"], inodes=limit)})
    plan = make_plan(replace(CONFIG, site=site, targets=("disk",)))
    stack = CONFIG.site.stacks["debian"]
    needs = [inodes_of(batch.cells, stack) for batch in plan.batches]
    assert all(need <= limit for need in needs)
    assert bool(needs) == (limit > LAUNCH_EXECUTIONS)


def test_a_file_system_that_counts_no_bytes_is_not_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """ramfs has 0 of 0 bytes free."""
    needs = [tools()["ior"].footprint(CELLS[0])]
    for total, free, problem in ((0, 0, False), (10**15, 10**14, False), (10**15, 0, True)):
        usage = SimpleNamespace(total=total, free=free)
        monkeypatch.setattr(shutil, "disk_usage", lambda _, usage=usage: usage)
        assert (check_space(Path("/target"), TARGET, needs).problem is not None) is problem
    limited = replace(TARGET, space_bytes=1)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(total=0, free=0))
    assert check_space(Path("/target"), limited, needs).problem is not None


def test_more_inodes_than_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    for free, fits in ((30, True), (29, False)):
        facts = SimpleNamespace(f_files=10**6, f_favail=free)
        monkeypatch.setattr(os, "statvfs", lambda _, facts=facts: facts)
        check = check_inodes(Path("/target"), TARGET, 30)
        assert (check.problem is None) == fits
        assert check.found == f"30 of {free}"


@pytest.mark.parametrize(
    ("files", "free"),
    [(0, 0), (113, -1), (113, 2**64 - 1)],
    ids=["none at all", "files but no limit (CephFS)", "the same without a sign"],
)
def test_a_file_system_that_does_not_limit_inodes_has_enough(
    monkeypatch: pytest.MonkeyPatch, files: int, free: int
) -> None:
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_files=files, f_favail=free))
    check = check_inodes(Path("/target"), TARGET, 30)
    assert check.problem is None
    assert check.found == "the file system does not count them"


@pytest.mark.parametrize(
    ("kind", "mount", "fits"),
    [
        ("parallel", {"type": "ext4"}, False),  # a template that was copied, with its file system not mounted
        ("parallel", {"type": "lustre"}, True),
        ("network", {"type": "xfs"}, False),
        ("disk", {"type": "tmpfs"}, False),
        ("disk", {"type": "ext4", "in_memory": "/dev/loop0, a file of tmpfs"}, False),
        ("memory", {"type": "ext4"}, False),
        ("burst-buffer-fuse", {"type": "fuse.ime", "below": "lustre"}, True),
        ("burst-buffer-fuse", {"type": "ext4"}, False),
        ("disk", {"type": "a-new-one"}, True),
    ],
)
def test_what_the_audit_would_call_another_target_is_found_before_the_first_byte(
    kind: str, mount: dict[str, str], fits: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preflight, "file_system_of", lambda _: {"device": "/dev/sda"} | mount)
    target = Target(name="scratch", kind=kind, path=str(tmp_path))
    check = check_kind(tmp_path, target)
    assert (check.problem is None) == fits
    if check.problem:
        assert f"is on {mount['type']}" in check.problem
        assert f"kind: {kind}: all its records would be INVALID" in check.problem
        assert "weir run --any-kind" in check.hint
        assert check.told == f"{check.problem}; {check.hint}"
    assert check_kind(tmp_path, replace(target, prefix="ime://")).problem is None
    names = {each.name for each in check_batch((), target, Stack("mine", {}), any_kind=True)}
    assert "kind" not in names


def test_a_program_for_stripes_that_is_not_there_is_found_before_the_first_run(tmp_path: Path) -> None:
    """As lfs with a target that was copied from the template of Lustre."""
    target = Target(name="scratch", kind="disk", path=str(tmp_path), get_stripes=("no-such-lfs", "getstripe"))
    checks = {each.name: each for each in check_batch((), target, Stack("mine", {}), any_kind=True)}
    assert "no-such-lfs, for the stripes of target scratch" in str(checks["stripes"].problem)
    there = replace(target, get_stripes=("true",), set_stripes=("true", "{folder}"))
    checks = {each.name: each for each in check_batch((), there, Stack("mine", {}), any_kind=True)}
    assert (checks["stripes"].problem, checks["stripes"].found) == (None, "true")
    plain = replace(target, get_stripes=())
    assert "stripes" not in {each.name for each in check_batch((), plain, Stack("mine", {}), any_kind=True)}


def launcher_that(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    on_the_path(folder, monkeypatch, mpirun=f"#!/bin/sh\n{script}\n")


def test_the_launcher_has_to_start_the_program_also_where_that_does_not_tell_its_ranks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As mpirun with an option of srun: each of the first runs failed."""
    stack = Stack("mine", {"ior": ("ior",)}, launcher_options=("--mpi=pmix",))
    launcher_that(tmp_path, "echo 'Error: unknown option \"--mpi=pmix\"' >&2; exit 213", monkeypatch)
    assert 'unknown option "--mpi=pmix"' in str(check_ranks(1, 2, stack, "mpirun").problem)
    launcher_that(tmp_path, "exit 0", monkeypatch)
    check = check_ranks(1, 2, stack, "mpirun")
    assert check.problem is None
    assert check.found == "1 x 2 started; ior does not tell where"


def test_a_low_limit_of_the_shell_is_named_where_no_launch_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MPI itself tells OUT-OF-RESOURCE, or that its help cannot be opened."""
    stack = Stack("mine", {"ior": ("ior",)})
    launcher_that(tmp_path, "exit 1", monkeypatch)
    assert "ulimit" not in str(check_ranks(1, 2, stack, "mpirun").hint)
    for limit, told in (
        (resource.RLIMIT_NOFILE, "100 open files (ulimit -n)"),
        (resource.RLIMIT_FSIZE, "400 KiB in a file (ulimit -f)"),
    ):
        least, most = resource.getrlimit(limit)
        resource.setrlimit(limit, (100 if limit == resource.RLIMIT_NOFILE else 400 * 1024, most))
        try:
            check = check_ranks(1, 2, stack, "mpirun")
        finally:
            resource.setrlimit(limit, (least, most))
        assert f"raise the limit of {told}" in str(check.hint)
