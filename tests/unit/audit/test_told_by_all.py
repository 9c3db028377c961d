"""What one observer tells is not what all of them see: other ranks, what is below, a second counter."""

import pytest

from tests.unit.audit.subjects import at_device, on_file_system, ran, subject
from weir.audit import Subject, judge
from weir.witness.facts import _file_systems


def of_names(program: str, **observed: int) -> Subject:
    row = {"tool": "mdtest", "item": "file", "access": "create", "ops": 1000, "requested_ops": 1000}
    return subject({**observed}, program=program, ops_s=100.0, bw_mib_s=None, **row)


@pytest.mark.parametrize(
    ("counted", "is_missing"),
    [
        (of_names("mdtest"), True),
        (of_names("mdtest", called_operations=1000), False),
        (of_names("weir-io"), False),
    ],
)
def test_what_a_program_alone_counted_proves_no_operations(counted: Subject, is_missing: bool) -> None:
    assert ("operations" in judge(counted).missing) == is_missing


def test_the_ranks_have_their_files_on_one_file_system() -> None:
    processes = {0: {"file_system": "tmpfs"}, 1: {"file_system": "ext4"}}
    run = ran(kind="memory", file_system={"type": "tmpfs", "device": "none"})
    seen = {finding.rule: finding for finding in judge(subject(_file_systems(processes), run=run)).findings}
    assert seen["other-target"].verdict == "INVALID"
    assert "the ranks' files are on ext4, tmpfs" in seen["other-target"].evidence
    assert "other-target" in judge(subject(_file_systems({0: processes[0]}), run=run)).passed


@pytest.mark.parametrize(
    ("source", "below", "is_proven"),
    [("fuse-overlayfs", None, False), ("/lower", "ext4", True), ("/dev/sda1", None, True)],
)
def test_of_a_file_system_that_names_no_place_nothing_is_proven(
    source: str, below: str | None, is_proven: bool
) -> None:
    judgement = judge(on_file_system("fuse.fuse-overlayfs", source, below=below))
    assert ("file-system" not in judgement.missing) == is_proven
    assert "other-target" not in {finding.rule for finding in judgement.findings}


@pytest.mark.parametrize(("below", "is_lost"), [("btrfs", False), ("ext4", True)])
def test_what_is_below_an_overlay_may_store_less(below: str, is_lost: bool) -> None:
    host = {"file_system": {"type": "overlay", "device": "overlay", "below": below}}
    observed = {
        "file_system": "overlay",
        "payload": {"compressed_share": 0.4, "unique_share": 1.0},
    } | at_device(100)
    run = ran(kind="disk", **host)
    names = {finding.rule for finding in judge(subject(observed, run=run)).findings}
    assert ("sync-not-effective" in names) == is_lost


def test_a_file_of_a_loop_that_nobody_sees_proves_no_disk() -> None:
    """Of metadata no device counts the bytes: nothing else would tell."""
    mount = {"type": "ext4", "device": "/dev/loop0", "hidden": "the file of loop0 cannot be seen"}
    run = ran(kind="disk", file_system=mount)
    assert "file-system" in judge(subject({"file_system": "ext4"}, run=run)).missing
