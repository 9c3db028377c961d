"""The commands of docs/how-to/spack.md in their order, from a clone to the report of a study. It takes hours.

make test-spack-chain runs it, which CI does every week.
"""

import csv
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.stacks.conftest import ROOT
from tests.unit.docs.pages import blocks

pytestmark = [pytest.mark.slow, pytest.mark.weekly]
PAGE = ROOT / "docs" / "how-to" / "spack.md"
LIMIT_S = 5 * 3600
# The table of the page adds, on Debian: its libraries, a maturin of PyPI, a Snakemake without downloads.
AFTER = {
    "spack external find": """\
python3 -m venv debian/maturin && debian/maturin/bin/pip install --quiet maturin==1.9.6
weir/envs/spack/debian-externals.sh debian
spack config add -f debian/packages.yaml""",
    "spack repo add weir/envs/spack_repo/weir": "spack repo add weir/envs/spack_repo/weir_stacks",
}


def commands() -> str:
    """Those of the first block of the page, each with what comes after it."""
    lines = ['. "$SPACK_ROOT/share/spack/setup-env.sh"', "set -ex"]
    for line in blocks(PAGE)[0].text.splitlines():
        command = line.partition("  #")[0].rstrip()
        lines += [command, *([AFTER[command]] if command in AFTER else [])]
    assert AFTER.keys() <= set(lines)
    return "\n".join(lines)


def user_scope(folder: Path) -> None:
    """A configuration of its own, with the repositories, mirrors and compilers of the user's."""
    given = Path(os.environ.get("SPACK_USER_CONFIG_PATH", Path.home() / ".spack"))
    folder.mkdir()
    for name in ("repos.yaml", "mirrors.yaml", "bootstrap.yaml", "config.yaml", "packages.yaml"):
        if (given / name).is_file():
            shutil.copy(given / name, folder)


def test_from_a_clone_to_the_report_of_a_study(tmp_path: Path) -> None:
    root = os.environ.get("SPACK_ROOT", "")
    if not Path(root, "share/spack/setup-env.sh").is_file():
        pytest.skip("no Spack by SPACK_ROOT (https://spack.io, 1.1 or newer)")
    user_scope(tmp_path / "user")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    environment |= {"ADDRESS_OF_WEIR": str(ROOT), "SPACK_USER_CONFIG_PATH": str(tmp_path / "user")}
    # The programs are those of Spack alone, and not those of the tests.
    environment["PATH"] = environment["PATH"].replace(f"{ROOT / '.venv/bin'}:", "")
    done = subprocess.run(
        ["bash", "-c", commands()], cwd=tmp_path, env=environment, text=True, timeout=LIMIT_S, check=False
    )
    assert done.returncode == 0
    study = tmp_path / "my-study" / "results" / "local" / "quick"
    assert (study / "report.pdf").read_bytes().startswith(b"%PDF")
    with (study / "records.csv").open(newline="") as stream:
        verdicts = {row["verdict"] for row in csv.DictReader(stream)}
    assert "VALID" in verdicts
    assert "INVALID" not in verdicts
