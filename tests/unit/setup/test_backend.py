"""envs/wheel: with what pip compiles libweir-witness.so, and the wheel that it makes of it."""

import csv
import importlib
import io
import re
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.checkout import ROOT
from tests.programs import write_program
from weir.witness.document import LIBRARY_NAME, without_library

COMPILES, FAILS = "#!/bin/sh\nexit 0\n", "#!/bin/sh\necho 'stdio.h: No such file or directory' >&2\nexit 1\n"


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "envs/wheel")
    return importlib.import_module("witness_build")


@pytest.fixture
def backend(build: ModuleType) -> ModuleType:
    pytest.importorskip("setuptools")
    return importlib.import_module("weir_wheel")


def programs(folder: Path, **scripts: str) -> dict[str, str]:
    """An environment in which these programs are all there is."""
    for name, text in scripts.items():
        write_program(folder / name, text)
    return {"PATH": str(folder)}


@pytest.mark.parametrize(
    ("scripts", "system", "variables", "wanted"),
    [
        ({}, {}, {}, True),
        ({"gcc": COMPILES}, {}, {}, False),
        ({"cc": FAILS}, {}, {}, True),  # a compiler without the headers of the C library
        ({"cc": FAILS, "clang": COMPILES}, {}, {}, False),
        ({"icx": COMPILES}, {}, {"CC": "icx -w"}, False),
        ({}, {"machine": "aarch64"}, {}, True),
        ({}, {"machine": "riscv64"}, {}, False),  # ziglang 0.13 has no wheel for it
        ({}, {"platform": "darwin"}, {}, False),
        ({}, {"glibc": None}, {}, False),
        ({}, {"pointer_bytes": 4}, {}, False),
        ({}, {}, {"PIP_NO_INDEX": "1"}, False),
        ({}, {}, {"WEIR_BUILD_WITNESS": "no"}, False),
    ],
)
def test_pip_fetches_a_compiler_only_where_it_helps(
    build: ModuleType,
    tmp_path: Path,
    scripts: dict[str, str],
    system: dict[str, Any],
    variables: dict[str, str],
    wanted: bool,
) -> None:
    here = build.System(**{"platform": "linux", "machine": "x86_64", "glibc": 36, **system})
    found = build.requirements({**programs(tmp_path / "bin", **scripts), **variables}, here)
    assert found == (["ziglang==0.13.0.post1"] if wanted else [])


@pytest.mark.parametrize(
    ("system", "variables", "why"),
    [
        ({"platform": "darwin"}, {}, "it is for Linux, this is darwin"),
        ({"glibc": None}, {}, "it is for the GNU C library"),
        ({"machine": "riscv64"}, {}, "no C compiler works here (cc, gcc, clang, ziglang); hint: install gcc"),
        ({}, {"WEIR_BUILD_WITNESS": "no"}, "WEIR_BUILD_WITNESS=no at the installation; hint: unset it"),
    ],
)
def test_an_installation_without_the_library_says_why(
    build: ModuleType, tmp_path: Path, system: dict[str, Any], variables: dict[str, str], why: str
) -> None:
    here = build.System(**{"platform": "linux", "machine": "x86_64", "glibc": 36, **system})
    with pytest.raises(build.NotCompiledError) as caught:
        build.compile_library(tmp_path / LIBRARY_NAME, {**programs(tmp_path / "bin"), **variables}, here)
    (tmp_path / "libweir-witness.txt").write_text(f"{caught.value}\n")
    assert why in without_library(tmp_path / "build" / LIBRARY_NAME, tmp_path)
    assert why in without_library(tmp_path / LIBRARY_NAME, tmp_path / "elsewhere")


def test_a_compiler_that_fails_is_named_with_its_error(build: ModuleType, tmp_path: Path) -> None:
    script = '#!/bin/sh\ncase "$*" in *trial*) exit 0 ;; esac\necho "a.c:1: error: no way" >&2\nexit 1\n'
    environment = programs(tmp_path / "bin", cc=script)
    with pytest.raises(build.NotCompiledError, match=r"^cc failed: a.c:1: error: no way; hint: install gcc"):
        build.compile_library(tmp_path / LIBRARY_NAME, environment, build.System("linux", "x86_64", 36))
    assert not list(tmp_path.glob("lib*"))


def test_it_is_made_of_what_the_engine_and_the_witness_share(build: ModuleType) -> None:
    sources = build.parts()["source"]
    own = {f"witness/{file.name}" for file in (ROOT / "src/witness").glob("*.c")}
    assert own < set(sources)
    assert "engine/observers/server.c" not in sources
    assert all((ROOT / "src" / name).is_file() for name in sources)


def plain_wheel(folder: Path) -> Path:
    wheel = folder / "weir-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("weir/__init__.py", "")
        file.writestr("weir-1.0.dist-info/WHEEL", "Root-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(
            "weir-1.0.dist-info/RECORD",
            "weir/__init__.py,sha256=x,0\nweir-1.0.dist-info/WHEEL,sha256=y,9\nweir-1.0.dist-info/RECORD,,\n",
        )
    return wheel


@pytest.mark.parametrize(
    ("library", "system", "tag"),
    [
        (b"\0GLIBC_2.2.5\0GLIBC_2.28\0GLIBC_2.3\0", ("x86_64", 36), "manylinux_2_28_x86_64"),
        (b"\0GLIBC_2.2.5\0", ("aarch64", 36), "manylinux_2_17_aarch64"),
        (b"\0GLIBC_2.38\0", ("x86_64", 36), "manylinux_2_36_x86_64"),  # pip has to take it here
        (b"", ("riscv64", 36), "linux_riscv64"),
    ],
)
def test_a_wheel_with_the_library_is_for_its_platform(
    build: ModuleType, backend: ModuleType, tmp_path: Path, library: bytes, system: tuple[str, int], tag: str
) -> None:
    name = f"weir/data/{LIBRARY_NAME}"
    made = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        platform = backend.platform_of(library, build.System("linux", *system))
        made.append(backend.with_files(plain_wheel(folder), {name: library}, platform))
    assert made[0].name == f"weir-1.0-py3-none-{tag}.whl"
    assert [file.name for file in made[0].parent.iterdir()] == [made[0].name]
    with zipfile.ZipFile(made[0]) as file:
        told = file.read("weir-1.0.dist-info/WHEEL").decode()
        assert f"Root-Is-Purelib: false\nTag: py3-none-{tag}\n" in told
        assert file.read(name) == library
        rows = list(csv.reader(io.StringIO(file.read("weir-1.0.dist-info/RECORD").decode())))
        assert {row[0] for row in rows} == set(file.namelist())
        sizes = {row[0]: row[2] for row in rows}
        assert sizes[name] == str(len(library))
        assert sizes["weir-1.0.dist-info/RECORD"] == ""
        assert len(rows) == 4


def test_make_cmake_and_pip_read_one_list() -> None:
    """The Makefile and CMakeLists.txt name no source of the library themselves."""
    for name in ("Makefile", "src/witness/CMakeLists.txt", "envs/wheel/witness_build.py"):
        assert not re.findall(r"\b(cachestat|process_io|host_clock)\b", (ROOT / name).read_text()), name
