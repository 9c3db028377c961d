"""What tests need of a machine is tried once by the thing itself; without it they are skipped by name."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import needs
from tests.lab.filesystem import file_systems
from tests.programs import write_program
from tests.queues.conftest import SYSTEMS

Says = Callable[[Any, str], str]
REFUSED = "unshare: cannot change root filesystem propagation: Invalid argument"


@pytest.fixture
def a_machine_without_namespaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Whatever a container's root may be told: its `unshare` fails. The file that is given has its calls."""
    calls = tmp_path / "calls"
    program = write_program(
        tmp_path / "bin" / "unshare", f'#!/bin/sh\necho "$@" >>"{calls}"\necho "{REFUSED}" >&2\nexit 1\n'
    )
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


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> Iterator[Says]:
    """The reason of a need where programs are on this path alone; other tests try anew."""
    tried = []

    def reason(need: Any, path: str) -> str:
        monkeypatch.setattr(needs, "_PATH", path)
        tried.append(need)
        need.cache_clear()
        return str(need())

    yield reason
    for need in tried:
        need.cache_clear()


def test_a_machine_without_fuse_is_told_by_a_mount(tmp_path: Path, says: Says) -> None:
    """A device node that may be opened is not enough: mounting may be forbidden."""
    failing = "#!/bin/sh\necho fusermount3: mount failed: Operation not permitted >&2\nexit 1\n"
    write_program(tmp_path / "fusermount3", failing)
    assert says(needs.fuse, str(tmp_path)) == "no FUSE: fusermount3: mount failed: Operation not permitted"


def test_what_is_not_installed_is_named(tmp_path: Path, says: Says) -> None:
    assert says(needs.loop_devices, str(tmp_path)) == "no loop device: losetup is not installed"


def test_a_private_machine_names_the_programs_that_it_lacks(tmp_path: Path, says: Says) -> None:
    (tmp_path / "unshare").touch(mode=0o755)
    (tmp_path / "ip").touch(mode=0o755)
    reason = "no private machine: not installed: nsenter, setpriv (make setup-lab)"
    assert says(needs.lab_machine, str(tmp_path)) == reason


def test_a_reason_is_the_same_each_time(tmp_path: Path, says: Says) -> None:
    """Skipped tests are counted by their reasons."""
    write_program(tmp_path / "mount", '#!/bin/sh\necho "mount: $4: permission denied." >&2\nexit 32\n')
    reason = "no file system can be mounted: mount: a directory: permission denied."
    assert says(needs.mounts, f"{tmp_path}:/usr/bin:/bin") == reason
