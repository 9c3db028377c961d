"""make bundle-offline: what it takes along is enough for a clone."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.checkout import ROOT

SCRIPT = ROOT / "envs" / "bundle-offline.sh"


def test_a_clone_of_the_bundle_is_checked_out(tmp_path: Path) -> None:
    """Also of a detached HEAD; a bundle without HEAD gives an empty folder."""
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    done = subprocess.run([SCRIPT, tmp_path / "out", "code"], capture_output=True, text=True, check=True)
    assert done.stdout == f"{tmp_path / 'out'}\n"
    assert (tmp_path / "out/install.sh").read_text() == (ROOT / "envs/install-offline.sh").read_text()
    clone = tmp_path / "weir"
    subprocess.run(["git", "clone", "--quiet", tmp_path / "out/weir.bundle", clone], check=True)
    heads = [
        subprocess.run(
            ["git", "-C", at, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
        ).stdout
        for at in (ROOT, clone)
    ]
    assert heads[0] == heads[1]
    assert (clone / "envs/setup.sh").is_file()


@pytest.mark.parametrize(
    ("words", "message"),
    [((), "name the folder to fill"), (("build/offline", "wheel"), "unknown part 'wheel'")],
)
def test_wrong_use_is_named(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    done = subprocess.run([SCRIPT, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr
    shutil.rmtree(ROOT / "build" / "offline", ignore_errors=True)
