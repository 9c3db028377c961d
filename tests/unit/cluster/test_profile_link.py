"""The link that lets the plain `snakemake --profile slurm` work: made once, said, and never over anything."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "profiles" / "slurm" / "link.sh"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A machine with Slurm."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sbatch").symlink_to("/bin/true")
    return tmp_path


def link(home: Path, path: str | None = None) -> str:
    environment = {"HOME": str(home), "PATH": path or f"{home}/bin:/usr/bin:/bin"}
    done = subprocess.run([SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    return done.stderr


def test_it_is_made_once_and_said(home: Path) -> None:
    place = home / ".config" / "snakemake" / "slurm"
    assert str(place) in link(home)
    assert (place / "config.yaml").read_text() == (SCRIPT.parent / "config.yaml").read_text()
    assert link(home) == ""


def test_a_profile_of_the_users_own_stays(home: Path) -> None:
    place = home / ".config" / "snakemake" / "slurm"
    place.mkdir(parents=True)
    (place / "config.yaml").write_text("jobs: 1\n")
    assert "stays" in link(home)
    assert (place / "config.yaml").read_text() == "jobs: 1\n"


def test_a_machine_without_slurm_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for tool in ("bash", "env"):
        (tmp_path / "bin" / tool).symlink_to(f"/usr/bin/{tool}")
    assert link(tmp_path, f"{tmp_path}/bin") == ""
    assert not (tmp_path / ".config").exists()
