"""How CMake configures weir-io on systems whose compilers and libraries are not those of Debian 12."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.programs import ran

# The one library that needs neither MPI nor another package.
WITNESS_ALONE = ("-DWEIR_ENGINE=OFF", "-DWEIR_EMULATOR=OFF", "-DWEIR_TESTS=OFF")
# What the project's own style allows and this option reports.
WARNS = "-DCMAKE_C_FLAGS=-Wdeclaration-after-statement"


def configured(
    folder: Path, *options: str, sources: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[str]:
    if not shutil.which("cmake") or not shutil.which("ninja"):
        pytest.skip("cmake or ninja is not installed")
    command = ["cmake", "-S", sources, "-B", folder, "-G", "Ninja", *options]
    return ran(command, env={**os.environ, **environment})


@pytest.mark.parametrize(("strict", "ends"), [("OFF", False), ("ON", True), (None, False)])
def test_a_warning_ends_the_build_of_a_developer_alone(
    tmp_path: Path, strict: str | None, ends: bool
) -> None:
    options = [*WITNESS_ALONE, WARNS, *([f"-DWEIR_WERROR={strict}"] if strict else [])]
    assert configured(tmp_path, *options).returncode == 0
    target = "src/witness/CMakeFiles/weir-witness.dir/spans.c.o"
    done = ran(["cmake", "--build", tmp_path, "--target", target])
    assert "declaration-after-statement]" in done.stdout
    assert (done.returncode != 0) is ends, done.stdout


def test_an_include_folder_that_does_not_exist_is_passed_over(tmp_path: Path) -> None:
    """Debian 13: pnetcdf.pc names the folders in which its package was built."""
    found = ran(["pkg-config", "--variable=pcfiledir", "pnetcdf"])
    if found.returncode != 0:
        pytest.skip("pkg-config or the headers of PnetCDF are not installed")
    text = (Path(found.stdout.strip()) / "pnetcdf.pc").read_text()
    changed = re.sub(r"^Cflags:", f"Cflags: -I{tmp_path}/not-there", text, flags=re.MULTILINE)
    assert changed != text
    (tmp_path / "pc").mkdir()
    (tmp_path / "pc/pnetcdf.pc").write_text(changed)
    done = configured(
        tmp_path / "build",
        "-DWEIR_TESTS=OFF",
        "-DWEIR_HDF5=OFF",
        "-DWEIR_NETCDF4=OFF",
        PKG_CONFIG_PATH=str(tmp_path / "pc"),
    )
    assert done.returncode == 0, done.stderr
    assert "weir-io uses pnetcdf" in done.stdout
    assert "not-there" not in (tmp_path / "build/build.ninja").read_text()


def test_a_path_with_spaces_makes_nothing_be_linked_again(tmp_path: Path) -> None:
    """From CMake 3.27 on each build of a user in such a checkout linked everything, while programs ran."""
    sources = tmp_path / "α β"
    shutil.copytree(ROOT / "src", sources / "src")
    shutil.copy(ROOT / "CMakeLists.txt", sources)
    done = configured(sources / "build", "-DWEIR_ENGINE=OFF", "-DWEIR_TESTS=OFF", sources=sources)
    assert done.returncode == 0, done.stderr
    for _ in range(2):
        built = ran(["cmake", "--build", sources / "build", "--target", "im_client"], check=True)
    assert "no work to do" in built.stdout
