"""The copy of the profile that `snakemake --profile slurm` finds from any study."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.programs import ran, write_file

PROFILE = Path(__file__).resolve().parents[3] / "profiles" / "slurm"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A machine with Slurm and a checkout."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sbatch").symlink_to("/bin/true")
    shutil.copytree(PROFILE, tmp_path / "checkout")
    return tmp_path


def install(home: Path, path: str | None = None, *, has_home: bool = True) -> str:
    environment = {"PATH": path or f"{home}/bin:/usr/bin:/bin"} | ({"HOME": str(home)} if has_home else {})
    script = home / "checkout" / "install.sh"
    done = ran([script], env=environment, code=0)
    return done.stderr


def installed(home: Path) -> Path:
    return home / ".config" / "snakemake" / "slurm" / "config.yaml"


def test_it_is_installed_once_and_survives_the_checkout(home: Path) -> None:
    assert str(installed(home).parent) in install(home)
    assert install(home) == ""
    shutil.rmtree(home / "checkout")
    assert installed(home).read_text() == (PROFILE / "config.yaml").read_text()


def test_a_newer_one_replaces_it(home: Path) -> None:
    install(home)
    newer = home / "checkout" / "config.yaml"
    newer.write_text("jobs: 7\n")
    assert "installed" in install(home)
    assert installed(home).read_text() == "jobs: 7\n"
    assert install(home) == ""


def test_what_the_user_edited_stays(home: Path) -> None:
    install(home)
    installed(home).write_text("jobs: 1\n")
    assert "stays" in install(home)
    assert installed(home).read_text() == "jobs: 1\n"


def test_a_profile_of_the_users_own_stays(home: Path) -> None:
    write_file(installed(home), "jobs: 1\n")
    assert "stays" in install(home)
    assert installed(home).read_text() == "jobs: 1\n"


def test_a_link_into_a_deleted_checkout_is_named(home: Path) -> None:
    installed(home).parent.parent.mkdir(parents=True)
    installed(home).parent.symlink_to(home / "gone")
    assert "stays" in install(home)


def test_a_home_that_cannot_be_written_stops_no_report(home: Path) -> None:
    (home / ".config").touch()
    assert "cannot be written; use --profile profiles/slurm" in install(home)
    assert install(home, has_home=False) == ""


def test_a_machine_without_slurm_is_left_alone(home: Path) -> None:
    bare = home / "bare"
    bare.mkdir()
    for tool in ("bash", "env"):
        (bare / tool).symlink_to(f"/usr/bin/{tool}")
    assert install(home, str(bare)) == ""
    assert not (home / ".config").exists()


@pytest.mark.slow
def test_snakemake_finds_it_from_any_study(home: Path) -> None:
    """The executor of the profile is requested in a folder without weir."""
    install(home)
    shutil.rmtree(home / "checkout")
    study = home / "study"
    write_file(study / "Snakefile", 'rule all:\n    output: "done"\n    shell: "touch {output}"\n')
    done = ran(
        [Path(sys.executable).with_name("snakemake"), "--profile", "slurm", "--dry-run"],
        cwd=study,
        env={"HOME": str(home), "PATH": f"{home}/bin:/usr/bin:/bin"},
        code=0,
    )
    assert "profile slurm" in done.stderr.lower(), done.stderr
