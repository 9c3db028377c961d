"""Deletion follows no link, and directories that others could exchange are refused."""

import os
from pathlib import Path

import pytest

from weir.base.errors import WeirError
from weir.measure.clean_up.directories import exposed_parent, private_directory
from weir.measure.clean_up.prepared_target import private_directories
from weir.measure.preflight import check_folder
from weir.records.model import Target


@pytest.mark.row("a target below a directory that everybody may change")
def test_a_directory_that_everybody_may_exchange_is_refused(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    (shared / "target").mkdir(parents=True)
    shared.chmod(0o777)
    assert exposed_parent(shared / "target") == shared
    assert "everybody may exchange directories" in str(check_folder(shared / "target").problem)
    shared.chmod(0o1777)
    assert exposed_parent(shared / "target") is None
    assert check_folder(shared / "target").problem is None


@pytest.mark.row("weir's own directories")
def test_a_directory_of_this_user_is_for_nobody_else(tmp_path: Path) -> None:
    private_directory(tmp_path / "weir-me")
    (tmp_path / "weir-me").chmod(0o755)
    private_directory(tmp_path / "weir-me")
    assert (tmp_path / "weir-me").stat().st_mode & 0o777 == 0o700


@pytest.mark.row("weir's own directories")
@pytest.mark.row("`prepare` and `cleanup` of a target")
def test_a_link_and_a_directory_of_another_user_are_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "weir-me").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WeirError, match="is not a directory"):
        private_directory(tmp_path / "weir-me")
    (tmp_path / "weir-you").mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can give a directory to another user")
    os.chown(tmp_path / "weir-you", 65534, 65534)
    with pytest.raises(WeirError, match="belongs to user 65534"):
        private_directory(tmp_path / "weir-you")


@pytest.mark.row("weir's own directories")
@pytest.mark.row("`prepare` and `cleanup` of a target")
def test_private_directories_are_those_below_shared_ones() -> None:
    prepare = (("tool", "mount", "/dev/shm/weir-me/ime", "/var/tmp/weir-me/ime"),)
    target = Target("t", "memory", "/dev/shm/weir-me/memory", prepare=prepare)
    assert private_directories(target) == [Path("/dev/shm/weir-me"), Path("/var/tmp/weir-me")]
    assert private_directories(Target("t", "disk", "/scratch/project/weir-me")) == []
    assert private_directories(Target("t", "pool", "xpd:pool")) == []
