"""Hostile bundles are refused before they cost anything, and leave nothing."""

import io
import random
import stat
import struct
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.conftest import RunWeir
from weir.base.errors import WeirError
from weir.report.bundle import reproduce as limits
from weir.report.bundle.reproduce import unpack

MIB = 2**20


def packed(path: Path, fill: Callable[[zipfile.ZipFile], object]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        fill(archive)
    return path


def link(archive: zipfile.ZipFile) -> None:
    entry = zipfile.ZipInfo("results/link")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    archive.writestr(entry, "/etc")


def twice(archive: zipfile.ZipFile) -> None:
    archive.writestr("a", "1")
    with pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("a", "2")


HOSTILE: dict[str, tuple[Callable[[zipfile.ZipFile], object], str]] = {
    "a file of zeros": (lambda archive: archive.writestr("a", bytes(8 * MIB)), "more than 100 times"),
    "many files of zeros": (
        lambda archive: [archive.writestr(f"a{i}", bytes(MIB)) for i in range(80)],  # 64 MiB are free
        "more than 50 times its size",
    ),
    "a way out": (lambda archive: archive.writestr("../out", "x"), "leads out of it"),
    "a way out from within": (lambda archive: archive.writestr("a/../../out", "x"), "leads out of it"),
    "an absolute path": (lambda archive: archive.writestr("/tmp/out", "x"), "leads out of it"),
    "a link": (link, "is not a file"),
    "a folder": (lambda archive: archive.writestr("folder/", ""), "is not a file"),
    "a name that a terminal obeys": (lambda archive: archive.writestr("a\x1b[31m", ""), "never writes"),
    "a backslash": (lambda archive: archive.writestr("a\\..\\b", ""), "never writes"),
    "a long name": (lambda archive: archive.writestr("x" * 5000, ""), "never writes"),
    "folders in folders": (lambda archive: archive.writestr("a/" * 400 + "b", ""), "never writes"),
    "a name twice": (twice, "holds a file twice"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.row("bundle")
def test_a_hostile_bundle_is_refused_and_leaves_nothing(tmp_path: Path, kind: str) -> None:
    fill, message = HOSTILE[kind]
    bundle = packed(tmp_path / "bomb.zip", fill)
    goal = tmp_path / "goal"
    with pytest.raises(WeirError, match=message):
        unpack(bundle, goal)
    assert [*goal.rglob("*")] == []
    assert {entry.name for entry in tmp_path.iterdir()} <= {"bomb.zip", "goal"}


def test_more_files_than_any_study_has_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_ENTRIES", 10)
    bundle = packed(tmp_path / "b.zip", lambda archive: [archive.writestr(f"{i}", "") for i in range(11)])
    with pytest.raises(WeirError, match="more than 10 files"):
        unpack(bundle, tmp_path / "goal")


def test_sizes_are_counted_and_not_believed(tmp_path: Path) -> None:
    """Header and directory promise one byte."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", bytes(8 * MIB))
    content = data.getvalue().replace(struct.pack("<I", 8 * MIB), struct.pack("<I", 1))
    bundle = tmp_path / "liar.zip"
    bundle.write_bytes(content)
    with pytest.raises(WeirError, match=r"liar\.zip: "):
        unpack(bundle, tmp_path / "goal")
    assert [*(tmp_path / "goal").rglob("*")] == []


@pytest.mark.slow
def test_damaged_bundles_are_messages(tmp_path: Path) -> None:
    """400 of them, cut, flipped and with other methods of packing: unpacked or refused, never a traceback."""
    good = packed(
        tmp_path / "good.zip",
        lambda archive: [archive.writestr(f"results/l/s/{i}", f"{i} " * 50) for i in range(5)],
    ).read_bytes()
    chance = random.Random(4)
    refused = 0
    for number in range(400):
        content = bytearray(good)
        for _ in range(chance.randint(1, 6)):
            content[chance.randrange(len(content))] = chance.randrange(256)
        bundle, goal = tmp_path / "bad.zip", tmp_path / f"goal{number}"
        bundle.write_bytes(bytes(content[: chance.choice((len(content), chance.randrange(len(content))))]))
        try:
            unpack(bundle, goal)
        except WeirError as error:
            refused += 1
            named = error.problems[0].file
            if named != str(bundle) or [*goal.rglob("*")]:
                pytest.fail(f"{error}")
    assert 100 < refused < 400


def test_what_weir_packs_is_unpacked(tmp_path: Path) -> None:
    text = "cell,bw_mib_s\n" + "".join(f"c{i},{i * 3.7}\n" for i in range(100_000))
    bundle = packed(tmp_path / "b.zip", lambda archive: archive.writestr("results/l/s/records.csv", text))
    unpack(bundle, tmp_path / "goal")
    assert (tmp_path / "goal/results/l/s/records.csv").read_text() == text


@pytest.mark.row("bundle")
def test_code_of_a_bundle_does_not_run_without_trust(
    tmp_path: Path, run_weir: RunWeir, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = packed(tmp_path / "b.zip", lambda archive: archive.writestr("code/weir/__main__.py", "x"))
    arguments = ["reproduce", bundle, "--out", tmp_path / "again"]
    printed = run_weir(*arguments, code=2).err
    assert "its code would run with your rights, and was not trusted" in printed
    assert "add --trust if you trust whoever made it" in printed
    assert not (tmp_path / "again").exists()
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert "Run it? [y/N]" in run_weir(*arguments, code=2).err
    assert not (tmp_path / "again").exists()
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    # It holds no study; but it was opened.
    assert "SHA256SUMS" in run_weir(*arguments, code=2).err
    assert "SHA256SUMS" in run_weir(*arguments[:-1], tmp_path / "other", "--trust", code=2).err
