"""Programs that a machine may lack, and little shared libraries that stand for MPIs and HDF5 builds."""

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.programs import ran

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., subprocess.CompletedProcess[str]]
Compile = Callable[..., Path]


def _program(name: str, root_variable: str) -> str | None:
    root = os.environ.get(root_variable)
    if root and (Path(root) / "bin" / name).is_file():
        return str(Path(root) / "bin" / name)
    return shutil.which(name)


@pytest.fixture(scope="session")
def spack() -> Run:
    program = _program("spack", "SPACK_ROOT")
    if program is None:
        pytest.skip("no spack: neither on the PATH nor by SPACK_ROOT (https://spack.io, 1.1 or newer)")

    def run(
        *arguments: str, environment: Mapping[str, str] | None = None, code: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        own = {**os.environ, **(environment or {})}
        return ran([program, "--color=never", *arguments], env=own, timeout=900, code=code)

    return run


@pytest.fixture(scope="session")
def apptainer() -> str:
    program = _program("apptainer", "APPTAINER_ROOT")
    if program is None:
        pytest.skip(
            "no apptainer: neither on the PATH nor by APPTAINER_ROOT (https://apptainer.org, 1.3 or newer)"
        )
    return program


@pytest.fixture
def compile_c(tmp_path: Path) -> Compile:
    """Compiles C text to a shared library (a name with .so) or a program, linked with earlier ones."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("no gcc")

    def build(name: str, code: str, *links: Path) -> Path:
        source = tmp_path / f"{name}.c"
        source.write_text(code)
        target = tmp_path / name
        library = ["-shared", "-fPIC", f"-Wl,-soname,{name}"] if ".so" in name else []
        # Without this the linker drops what is linked but not called, as the fakes are.
        arguments = [gcc, *library, "-Wl,--no-as-needed", "-o", str(target), str(source), *map(str, links)]
        subprocess.run([*arguments, f"-Wl,-rpath,{tmp_path}"], check=True)
        return target

    return build
