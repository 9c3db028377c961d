"""Programs and libraries in C, built for tests."""

import fcntl
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def compiled(folder: Path, *options: str) -> Path:
    """The build folder, brought up to date by one process at a time."""
    for tool in ("cmake", "ninja"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "build.ninja").exists():
            arguments = ["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", *options]
            subprocess.run(arguments, check=True, capture_output=True)
        done = subprocess.run(["cmake", "--build", str(folder)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


def sanitized() -> Path:
    """Less optimised than what measures: three quarters of the time of the compiler."""
    options = ("-DWEIR_SANITIZE=ON", "-DWEIR_WERROR=ON", "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g1")
    return compiled(ROOT / "build" / "asan", *options)


def shared_library(target: Path, source: str | Path, *options: str) -> Path:
    """To be preloaded or to audit."""
    return built(target, source, "-shared", "-fPIC", *options)


def built(target: Path, source: str | Path, *options: str) -> Path:
    """Compiles one source in C, its text or its file; options may be further libraries, which it uses."""
    if shutil.which("cc") is None:
        pytest.skip("cc is not installed")
    if isinstance(source, str):
        target.with_suffix(".c").write_text(source)
        source = target.with_suffix(".c")
    subprocess.run(["cc", source, "-o", target, *options, "-ldl"], check=True)
    return target
