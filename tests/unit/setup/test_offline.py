"""make bundle-offline: what it takes along is enough for a clone."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.programs import ran, write_program

SCRIPT = ROOT / "envs" / "bundle-offline.sh"


@pytest.mark.slow
def test_a_clone_of_the_bundle_is_checked_out(tmp_path: Path) -> None:
    """Also of a detached HEAD; a bundle without HEAD gives an empty folder."""
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    done = ran([SCRIPT, tmp_path / "out", "code"], check=True)
    assert done.stdout == f"{tmp_path / 'out'}\n"
    assert (tmp_path / "out/install.sh").read_text() == (ROOT / "envs/install-offline.sh").read_text()
    clone = tmp_path / "weir"
    subprocess.run(["git", "clone", "--quiet", tmp_path / "out/weir.bundle", clone], check=True)
    heads = [ran(["git", "-C", at, "rev-parse", "HEAD"], check=True).stdout for at in (ROOT, clone)]
    assert heads[0] == heads[1]
    assert (clone / "envs/setup.sh").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((), "name the folder to fill"), (("build/offline", "wheel"), "unknown part 'wheel'")],
)
def test_wrong_use_is_named(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    done = ran([SCRIPT, *arguments], cwd=tmp_path, code=2)
    assert message in done.stderr
    shutil.rmtree(ROOT / "build" / "offline", ignore_errors=True)


def test_what_is_there_is_replaced_only_where_something_missing_needs_it(tmp_path: Path) -> None:
    """dpkg and apt are scripts; `base` is installed, and older than the one that came along."""
    stubs = {
        "id": "echo 0",
        "dpkg-deb": 'case $3 in Package) basename "$2" .deb;; Version) echo 2;; esac',
        "dpkg-query": '[ "${@: -1}" = base ] && echo installed 1',
        "dpkg": '[ "$2" -lt "$4" ]',
        # It refuses to install `new` alone.
        "apt-get": f'echo "$*" >>{tmp_path}/apt.log; [[ $* != *--simulate* ]] || [[ $* == *base.deb* ]]',
    }
    programs = tmp_path / "programs"
    for name, text in stubs.items():
        write_program(programs / name, f"#!/bin/bash\n{text}\n")
    bundle, checkout = tmp_path / "media", tmp_path / "weir"
    (bundle / "debs").mkdir(parents=True)
    for name in ("new", "base"):
        (bundle / "debs" / f"{name}.deb").touch()
    shutil.copy(ROOT / "envs/install-offline.sh", bundle / "install.sh")
    write_program(checkout / "envs/setup.sh", "#!/bin/sh\n")
    path = {"PATH": f"{programs}:/usr/bin:/bin"}
    ran([bundle / "install.sh", checkout], env=path, code=0)
    simulated, installed = (tmp_path / "apt.log").read_text().splitlines()
    assert "--simulate" in simulated
    assert installed.endswith(f"{bundle}/debs/new.deb {bundle}/debs/base.deb")
    # No list of the machine's own sources takes part.
    assert "Dir::Etc::sourcelist=/dev/null" in installed
