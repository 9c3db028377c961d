"""What of src/ needs no MPI, compiled for aarch64 and run on an emulated processor of that kind."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from tests.programs import ran
from tests.stacks.conftest import ROOT

pytestmark = pytest.mark.slow
COMPILER, EMULATOR, SYSTEM = "aarch64-linux-gnu-gcc", "qemu-aarch64", "/usr/aarch64-linux-gnu"
TOOLCHAIN = f"""\
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER {COMPILER})
"""
WRITER = """\
#include <fcntl.h>
#include <unistd.h>
static char part[65536];
int main(int count, char **arguments) {
    int file = open(arguments[count - 1], O_CREAT | O_WRONLY | O_TRUNC, 0600);
    for (int i = 0; i < 4; i++)
        if (write(file, part, sizeof part) != sizeof part) return 1;
    return fsync(file) || close(file);
}
"""


def call(*arguments: object, **variables: str) -> str:
    return ran(arguments, env={**os.environ, **variables}, timeout=600, code=0).stdout


def there(*arguments: object, **variables: str) -> str:
    """A program on the emulated processor; the variables are of the program alone."""
    settings = [argument for item in variables.items() for argument in ("-E", "=".join(item))]
    return call(EMULATOR, "-L", SYSTEM, *settings, *arguments)


def built(source: Path, folder: Path, *options: str) -> Path:
    missing = [program for program in (COMPILER, EMULATOR, "cmake") if not shutil.which(program)]
    if missing:
        pytest.skip(f"not on the PATH: {', '.join(missing)} (gcc-aarch64-linux-gnu, qemu-user)")
    folder.mkdir()
    (folder / "aarch64.cmake").write_text(TOOLCHAIN)
    toolchain = f"-DCMAKE_TOOLCHAIN_FILE={folder}/aarch64.cmake"
    call("cmake", "-S", source, "-B", folder / "build", toolchain, *options)
    call("cmake", "--build", folder / "build", "--parallel", "2")
    return folder / "build"


def test_the_witness_counts_the_bytes_of_a_program(tmp_path: Path) -> None:
    parts = ("-DWEIR_TESTS=OFF", "-DWEIR_ENGINE=OFF", "-DWEIR_EMULATOR=OFF")
    build = built(ROOT, tmp_path / "witness", *parts)
    (tmp_path / "writer.c").write_text(WRITER)
    (tmp_path / "data").mkdir()
    call(COMPILER, "-o", tmp_path / "writer", tmp_path / "writer.c")
    assert "aarch64" in call("file", build / "libweir-witness.so")
    there(
        tmp_path / "writer",
        tmp_path / "data/file",
        LD_PRELOAD=str(build / "libweir-witness.so"),
        WEIR_WITNESS=str(tmp_path / "report"),
        WEIR_WITNESS_ROOT=str(tmp_path / "data"),
    )
    (report,) = tmp_path.glob("report.*.json")
    spans = json.loads(report.read_text())["spans"]
    assert sum(span["written_bytes"] for span in spans) == 4 * 65536
    assert sum(span["syncs"] for span in spans) == 1


def test_what_of_the_engine_needs_no_mpi_is_compiled_with_its_warnings(tmp_path: Path) -> None:
    if not shutil.which(COMPILER):
        pytest.skip(f"not on the PATH: {COMPILER} (gcc-aarch64-linux-gnu)")
    flags = (
        "-std=c11",
        "-O2",
        "-Wall",
        "-Wextra",
        "-Wshadow",
        "-Werror",
        "-D_GNU_SOURCE",
        '-DWEIR_VERSION="0"',
    )
    folders = [f"-I{ROOT / folder}" for folder in ("src/engine", "src/engine/core", "src/ime/include")]
    faults, compiled = [], 0
    for source in sorted((ROOT / "src/engine").rglob("*.c")):
        command = [COMPILER, *flags, *folders, "-c", "-o", tmp_path / "object.o", source]
        done = ran(command)
        if not re.search(r"fatal error: [\w./]+: No such file", done.stderr):  # of MPI, HDF5, liburing ...
            compiled += 1
            faults += [done.stderr] if done.returncode else []
    assert compiled > 30
    assert faults == []


def test_the_burst_buffer_does_what_a_directory_does(tmp_path: Path) -> None:
    options = ("-DWEIR_POOL=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON")
    programs = built(ROOT / "src/ime", tmp_path / "ime", *options) / "ime"
    backing, model, settings = (tmp_path / name for name in ("backing", "model", "ime.conf"))
    backing.mkdir()
    model.mkdir()
    folders = f"fast = {tmp_path}/fast\nbacking = {backing}\n"
    settings.write_text(f"{folders}capacity = 512 KiB\ndrain = manual\ntruncate = strict\n")
    variables = {"IM_CLIENT_CFG_FILE": str(settings)}
    there(programs / "imectl", "create", **variables)
    sizes = ("--operations", 5000, "--seed", 20)
    done = there(programs / "ime-conformance", "--store", backing, "--model", model, *sizes, **variables)
    assert "no difference" in done
    there(programs / "imectl", "destroy", **variables)
