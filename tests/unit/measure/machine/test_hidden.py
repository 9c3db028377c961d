"""Loop devices whose files nobody can look at."""

from pathlib import Path

import pytest

from tests.programs import write_file
from weir.measure.machine import devices as module
from weir.measure.machine.devices import hidden_below


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """loop0 over a file, below a folder."""
    (tmp_path / "image").write_text("")
    write_file(tmp_path / "7:0/loop/backing_file", f"{tmp_path}/image\n")
    monkeypatch.setattr(module, "devices_below", lambda folder, system: {"7:0", "8:0"})
    return tmp_path


def test_a_file_that_can_be_seen_hides_nothing(system: Path) -> None:
    assert hidden_below(system, system, system / "dev") is None


def test_a_file_that_is_gone_hides_where_the_bytes_are(system: Path) -> None:
    (system / "image").unlink()
    assert hidden_below(system, system, system / "dev") == "the file of 7:0 cannot be seen"


def test_another_file_of_the_same_name_does_not_stand_for_it(
    system: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inode = (system / "image").stat().st_ino
    monkeypatch.setattr(module, "_inode_of", lambda device: inode)
    assert hidden_below(system, system) is None
    monkeypatch.setattr(module, "_inode_of", lambda device: inode + 1)
    assert hidden_below(system, system) == "the file of 7:0 is another one than that of its name"


def test_what_may_not_be_asked_is_not_known(tmp_path: Path) -> None:
    assert module._inode_of(tmp_path / "loop0") is None
    (tmp_path / "loop0").write_text("")
    assert module._inode_of(tmp_path / "loop0") is None
