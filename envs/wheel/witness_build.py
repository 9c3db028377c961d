"""Compiles libweir-witness.so without CMake: for pip (weir_wheel.py) and for `make witness`.

python3 envs/wheel/witness_build.py FILE
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"
PARTS = SOURCES / "witness/library.txt"
NAME = "libweir-witness.so"
SWITCH = "WEIR_BUILD_WITNESS"
_AGAIN = (
    "then give the same pip install again with --force-reinstall --no-deps, or in a checkout: make witness"
)
_GET_COMPILER = f"install gcc and the headers of the C library (Debian: gcc libc6-dev), {_AGAIN}"
# A program that has what the sources need of the system.
_TRIAL = '#include <stdio.h>\n#include <linux/types.h>\nint main(void) { return puts("") < 0; }\n'
_ZIG_MACHINES = ("x86_64", "aarch64")
_ZIG_GLIBC = 28  # minor version of glibc: 2.28, or the older one of this system


class NotCompiledError(Exception):
    """Why there is no library, and after `hint:` what to do."""


@dataclass(frozen=True)
class System:
    """The system for which a library is compiled."""

    platform: str  # sys.platform
    machine: str
    glibc: int | None  # 36 of 2.36; None: another C library
    pointer_bytes: int = 8

    @classmethod
    def here(cls) -> System:
        version = ""
        with contextlib.suppress(ValueError, OSError, AttributeError):
            version = os.confstr("CS_GNU_LIBC_VERSION") or ""
        found = re.fullmatch(r"glibc 2\.(\d+).*", version)
        return cls(sys.platform, os.uname().machine, int(found[1]) if found else None, struct.calcsize("P"))

    def refusal(self) -> str | None:
        """Why no library can be for it."""
        if self.platform != "linux":
            return f"it is for Linux, this is {self.platform}"
        if self.glibc is None:
            return "it is for the GNU C library, which this Python does not use (musl, as of Alpine?)"
        return "it is for systems of 64 bits" if self.pointer_bytes != 8 else None


def parts() -> dict[str, list[str]]:
    """Kind to values of library.txt, which CMake reads, too; sources are files below src."""
    found: dict[str, list[str]] = {kind: [] for kind in ("source", "except", "include", "option", "link")}
    for line in PARTS.read_text(encoding="ascii").splitlines():
        kind, _, value = line.partition(" ")
        if kind not in ("", "#"):
            found[kind].append(value)
    files = {str(file.relative_to(SOURCES)) for name in found["source"] for file in SOURCES.glob(name)}
    return {**found, "source": sorted(files - set(found["except"]))}


def system_compiler(environment: Mapping[str, str]) -> list[str] | None:
    """The first of $CC, cc, gcc and clang that compiles a program."""
    given = shlex.split(environment.get("CC", ""))
    for command in (given, ["cc"], ["gcc"], ["clang"]):
        if (
            command
            and shutil.which(command[0], path=environment.get("PATH"))
            and _works(command, environment)
        ):
            return command
    return None


def _works(command: list[str], environment: Mapping[str, str]) -> bool:
    with tempfile.TemporaryDirectory(prefix="weir-trial-") as folder:
        done = subprocess.run(
            [*command, "-x", "c", "-", "-o", f"{folder}/trial"],
            input=_TRIAL,
            env={**environment},
            text=True,
            capture_output=True,
            check=False,
        )
    return done.returncode == 0


def requirements(environment: Mapping[str, str], system: System) -> list[str]:
    """The packages that pip has to fetch: a compiler, where the system has none that works and one exists for
    it."""
    if (
        is_refused(environment)
        or system.refusal()
        or system.machine not in _ZIG_MACHINES
        or not PARTS.is_file()
    ):
        return []
    # pip would end with an error without an index, and a library is not worth that.
    if environment.get("PIP_NO_INDEX", "0").lower() not in ("", "0", "false", "no", "off"):
        return []
    return [] if system_compiler(environment) else [ziglang()]


def is_refused(environment: Mapping[str, str]) -> bool:
    return environment.get(SWITCH, "").lower() in ("no", "0", "off", "false")


def ziglang() -> str:
    """The requirement of the compiler, as pyproject.toml pins it."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["weir"]["compiler"])


def compiler(environment: Mapping[str, str], system: System) -> list[str]:
    found = system_compiler(environment)
    if found:
        return found
    if system.machine in _ZIG_MACHINES and importlib.util.find_spec("ziglang"):
        target = f"{system.machine}-linux-gnu.2.{min(_ZIG_GLIBC, system.glibc or _ZIG_GLIBC)}"
        return [sys.executable, "-m", "ziglang", "cc", "-target", target]
    raise NotCompiledError(f"no C compiler works here (cc, gcc, clang, ziglang); hint: {_GET_COMPILER}")


def compile_library(target: Path, environment: Mapping[str, str], system: System) -> None:
    """The same sources and the same compiler make the same bytes."""
    if is_refused(environment):
        raise NotCompiledError(
            f"{SWITCH}={environment[SWITCH]} at the installation; hint: unset it, {_AGAIN}"
        )
    refusal = system.refusal()
    if refusal:
        raise NotCompiledError(refusal)
    if not PARTS.is_file():
        raise NotCompiledError(f"its sources are missing ({PARTS}); hint: install from a whole checkout")
    command = compiler(environment, system)
    made = parts()
    arguments = ["-shared", "-fPIC", "-O2", "-s", *made["option"], *(f"-I{one}" for one in made["include"])]
    with tempfile.TemporaryDirectory(prefix="weir-witness-") as folder:
        new = Path(folder) / NAME
        done = subprocess.run(
            [*command, *arguments, *made["source"], "-o", str(new), *made["link"]],
            cwd=SOURCES,  # names of files are then the same everywhere
            env={**environment, "ZIG_GLOBAL_CACHE_DIR": folder, "ZIG_LOCAL_CACHE_DIR": folder},
            text=True,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise NotCompiledError(
                f"{shlex.join(command)} failed: {_first_error(done.stderr)}; hint: {_GET_COMPILER}"
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        staged = target.with_name(f"{NAME}.new")  # a program may have the old one open
        shutil.copyfile(new, staged)
        staged.chmod(0o755)
        staged.replace(target)


def _first_error(printed: str) -> str:
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[-1] if lines else "no message")


def is_current(library: Path) -> bool:
    """Whether the library is newer than anything it is made of."""
    if not library.is_file():
        return False
    made = parts()
    folders = {(SOURCES / name).parent for name in made["source"]} | {
        SOURCES / name for name in made["include"]
    }
    files = [PARTS, *(file for folder in folders for file in folder.iterdir())]
    return all(file.stat().st_mtime <= library.stat().st_mtime for file in files)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    try:
        compile_library(target, os.environ, System.here())
    except NotCompiledError as error:
        sys.exit(f"{target}: {error}")
    target.with_suffix(".txt").unlink(missing_ok=True)
