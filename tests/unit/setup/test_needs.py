"""What tests need of a machine is tried once by the thing itself; without it they are skipped by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import needs
from tests.lab.filesystem import file_systems
from tests.queues.conftest import SYSTEMS

REFUSED = "unshare: cannot change root filesystem propagation: Invalid argument"


@pytest.fixture
def a_machine_without_namespaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Whatever a container's root may be told: its `unshare` fails. The file that is given has its calls."""
    calls = tmp_path / "calls"
    program = tmp_path / "bin" / "unshare"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >>"{calls}"\necho "{REFUSED}" >&2\nexit 1\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setattr(needs, "_PATH", f"{program.parent}:/usr/bin:/bin")
    tried = (needs.lab_machine, needs.mount_namespaces, needs.fuse)
    for each in tried:
        each.cache_clear()
    yield calls
    for each in tried:
        each.cache_clear()


def test_a_need_is_tried_once_and_skips_by_name(a_machine_without_namespaces: Path) -> None:
    for _ in range(3):
        with pytest.raises(pytest.skip.Exception, match=f"no mount namespace can be made: {REFUSED}"):
            needs.need(needs.mount_namespaces)
    assert len(a_machine_without_namespaces.read_text().splitlines()) == 1


def test_lab_and_batch_systems_are_skipped_where_no_private_machine_can_be(
    a_machine_without_namespaces: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name, path=None: f"/usr/sbin/{name}")
    reasons = {each.missing() for each in file_systems().values()}
    assert reasons == {f"no private machine: no namespaces: {REFUSED}"}
    assert all(REFUSED in why or "not installed" in why for why in (each.missing() for each in SYSTEMS))
    assert len(a_machine_without_namespaces.read_text().splitlines()) == 1


def test_a_machine_without_fuse_is_told_by_a_mount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device node that may be opened is not enough: mounting may be forbidden."""
    program = tmp_path / "fusermount3"
    program.write_text("#!/bin/sh\necho fusermount3: mount failed: Operation not permitted >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(needs, "_PATH", str(tmp_path))
    needs.fuse.cache_clear()
    try:
        assert needs.fuse() == "no FUSE: fusermount3: mount failed: Operation not permitted"
    finally:
        needs.fuse.cache_clear()


def test_what_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "_PATH", str(tmp_path))
    needs.loop_devices.cache_clear()
    try:
        assert needs.loop_devices() == "no loop device: losetup is not installed"
    finally:
        needs.loop_devices.cache_clear()


def test_a_private_machine_names_the_programs_that_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "unshare").touch(mode=0o755)
    (tmp_path / "ip").touch(mode=0o755)
    monkeypatch.setattr(needs, "_PATH", str(tmp_path))
    needs.lab_machine.cache_clear()
    try:
        reason = "no private machine: not installed: nsenter, setpriv (make setup-lab)"
        assert needs.lab_machine() == reason
    finally:
        needs.lab_machine.cache_clear()


def test_a_reason_is_the_same_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Skipped tests are counted by their reasons."""
    program = tmp_path / "mount"
    program.write_text('#!/bin/sh\necho "mount: $4: permission denied." >&2\nexit 32\n')
    program.chmod(0o755)
    monkeypatch.setattr(needs, "_PATH", f"{tmp_path}:/usr/bin:/bin")
    needs.mounts.cache_clear()
    try:
        assert needs.mounts() == "no file system can be mounted: mount: a directory: permission denied."
    finally:
        needs.mounts.cache_clear()
