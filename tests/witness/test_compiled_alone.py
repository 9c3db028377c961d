"""A checkout of a new user: without a compiler, then with the library that a compiler alone builds."""

import ctypes
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.programs import ran
from tests.witness.conftest import need_programs

ROOT = Path(__file__).resolve().parents[2]
DD = ("dd", "if=/dev/zero", "of=f", "bs=1M", "count=16", "conv=fsync")
# What glibc 2.28 to 2.31 lack, such as RHEL 8 and SLES 15: a name, and calls that programs have of their own.
OLDER = """\
#define __libc_single_threaded absent_from_this_libc
#include <dlfcn.h>
#include <string.h>
static inline void *older_dlsym(void *handle, const char *name) {
    static const char *const lacks[] = {"stat",    "stat64",    "lstat", "lstat64",
                                        "fstatat", "fstatat64", "mknod", "mknodat"};
    for (unsigned i = 0; i < sizeof lacks / sizeof lacks[0]; i++) {
        if (strcmp(lacks[i], name) == 0) {
            return NULL;
        }
    }
    return dlsym(handle, name);
}
#define dlsym older_dlsym
"""


def test_a_verdict_needs_a_checkout_and_a_compiler(tmp_path: Path) -> None:
    """No site, no suite, no MPI and no CMake."""
    need_programs("cc", "make")
    for folder in ("src", "weir", "config", "envs/wheel"):
        shutil.copytree(ROOT / folder, tmp_path / folder, symlinks=True)
    shutil.copy(ROOT / "Makefile", tmp_path)
    job = tmp_path / "job"
    job.mkdir()

    def proven() -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin"}
        prove = [sys.executable, "-m", "weir", "prove", "--on", str(job), "--", *DD]
        done = ran(prove, cwd=job, env=environment, check=True)
        return done.stderr

    without = proven()
    assert "is not found; hint: make witness in a checkout" in without
    assert "UNPROVEN, no call on any mount was seen" in without
    assert "16 MiB written by calls, in processes that left no report" in without
    ran(["make", "witness"], cwd=tmp_path, check=True, timeout=300)
    assert ctypes.CDLL(str(tmp_path / "build/libweir-witness.so")).fsync(-1) == -1
    assert "write 16 MiB in 16 calls" in proven()


@pytest.fixture(scope="module")
def of_older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library as a system with an older C library compiles it."""
    need_programs("cc")
    folder = tmp_path_factory.mktemp("older")
    (folder / "older.h").write_text(OLDER)
    library = folder / "libweir-witness.so"
    environment = {**os.environ, "CC": f"cc -include {folder}/older.h"}
    build = [sys.executable, f"{ROOT}/envs/wheel/witness_build.py", str(library)]
    ran(build, env=environment, check=True)
    return library


@pytest.mark.parametrize("mode", ["WEIR_WITNESS_ROOT", "WEIR_WITNESS_MOUNTS"])
def test_an_older_c_library_is_enough(of_older: Path, tmp_path: Path, mode: str) -> None:
    seen = {"LD_PRELOAD": str(of_older), "WEIR_WITNESS": str(tmp_path / "seen"), mode: str(tmp_path)}
    done = ran(["mkdir", "made"], cwd=tmp_path, env={**os.environ, **seen})
    assert (done.returncode, done.stderr) == (0, "")
    ran(DD, cwd=tmp_path, env={**os.environ, **seen}, check=True)
    reports = [json.loads(report.read_text()) for report in tmp_path.glob("seen.*.json")]
    wholes = [report.get("files", []) + report.get("mounts", []) for report in reports]
    assert 16 * 2**20 in {int(counted_bytes(one)) for whole in wholes for one in whole}


def counted_bytes(one: dict[str, Any]) -> int:
    """The bytes that were written: to a file, or in the phases of a mount."""
    return sum(int(part["written_bytes"]) for part in one.get("phases", [one]))
