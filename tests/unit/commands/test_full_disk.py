"""A full disk: the message names the file that could not be written, and nothing is left half done."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from tests.programs import write_program
from tests.unit.conftest import RunWeir
from weir.base.errors import from_os_error
from weir.base.files import write_atomically
from weir.commands.init import _copy

FULL = "No space left on device"


def test_a_file_that_could_not_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel's error of write and fsync has no name."""

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, FULL)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=FULL) as caught:
        write_atomically(tmp_path / "records.csv", "text")
    assert str(from_os_error(caught.value)).startswith(f"{tmp_path}/records.csv: {FULL}")
    assert not list(tmp_path.iterdir())


def test_of_a_file_that_cannot_be_there_its_own_name_is_told(tmp_path: Path) -> None:
    """And not that of the temporary file beside it, which is gone."""
    for path, text in ((tmp_path, "Is a directory"), (tmp_path / "none" / "a", "No such file or directory")):
        with pytest.raises(OSError, match=text) as caught:
            write_atomically(path, "text")
        assert str(from_os_error(caught.value)).startswith(f"{path}: {text}")


def test_of_a_copy_the_file_on_the_full_disk_is_named() -> None:
    error = OSError(errno.ENOSPC, FULL, "/shipped/Snakefile", None, "/study/Snakefile")
    assert str(from_os_error(error)).startswith(f"/study/Snakefile: {FULL}")
    error = OSError(errno.ENOENT, "No such file or directory", "/from", None, "/to")
    assert str(from_os_error(error)).startswith("/from: ")


def test_of_a_folder_the_first_file_is_named_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir
) -> None:
    """copytree collects an error for each file."""

    def full(source: str, target: str, *args: object, **options: object) -> None:
        raise shutil.Error([(source, f"{target}/a.csv", f"[Errno 28] {FULL}: 'x' -> 'y'")] * 3)

    monkeypatch.setattr(shutil, "copytree", full)
    printed = run_weir("init", tmp_path / "study", code=1).err
    assert f"a.csv: cannot be copied: {FULL}\n" in printed


def test_a_study_can_be_edited_where_the_installed_weir_is_read_only(tmp_path: Path) -> None:
    (tmp_path / "prefix/config").mkdir(parents=True)
    file = write_program(tmp_path / "prefix/config/burst-buffer", "")
    for part, mode in ((file, 0o555), (file.parent, 0o555), (file.parent.parent, 0o555)):
        part.chmod(mode)
    _copy(tmp_path / "prefix", tmp_path / "study")
    copies = [tmp_path / "study" / name for name in ("", "config", "config/burst-buffer")]
    assert [oct(part.stat().st_mode)[-3:] for part in copies] == ["755"] * 3
    for part in (file.parent.parent, file.parent):
        part.chmod(0o755)  # for those who remove it


def test_init_can_be_repeated_after_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir
) -> None:
    def full(source: str, target: str, *, follow_symlinks: bool = True) -> None:
        raise OSError(errno.ENOSPC, FULL, source, None, target)

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "copyfile", full)
        assert FULL in run_weir("init", tmp_path / "study", code=1).err
    assert not (tmp_path / "study").exists()
    run_weir("init", tmp_path / "study")
