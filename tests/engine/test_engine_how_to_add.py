"""A new back end and a new personality are one new file each that nothing else mentions."""

import os
import shutil
from pathlib import Path

from tests.engine.runs import ROOT, Engine
from tests.programs import ran

# The text of docs/engine/extend.md, so that the page is what works.
PAGE = ROOT / "docs/engine/extend.md"


def example(name: str) -> str:
    """The C block of the page whose first line names the file."""
    blocks = PAGE.read_text().split("```c\n")[1:]
    texts = [block.split("```")[0] for block in blocks]
    found = [text for text in texts if text.startswith(f"/* {name}")]
    assert len(found) == 1, f"docs/engine/extend.md has {len(found)} examples that begin with /* {name}"
    return found[0]


def test_the_examples_of_the_page_compile_and_run(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    shutil.copy(ROOT / "CMakeLists.txt", tree)
    for part in ("engine", "cmake", "witness"):
        shutil.copytree(ROOT / "src" / part, tree / "src" / part)
    shutil.copy(ROOT / "src/CMakeLists.txt", tree / "src")
    build = tmp_path / "build"
    configure = ["cmake", "-S", str(tree), "-B", str(build), "-G", "Ninja", "-DWEIR_TESTS=OFF"]
    configure += [
        "-DCMAKE_BUILD_TYPE=Debug",
        "-DCMAKE_C_FLAGS_DEBUG=-O0",
        "-DWEIR_EMULATOR=OFF",
        *(f"-DWEIR_{name}=OFF" for name in ("HDF5", "NETCDF4", "PNETCDF")),
    ]
    ran(configure, check=True)
    (tree / "src/engine/backends/memory.c").write_text(example("memory.c"))
    (tree / "src/engine/personalities/ranks.c").write_text(example("ranks.c"))
    done = ran(["cmake", "--build", build, "--target", "weir-io"])
    assert done.returncode == 0, done.stdout
    engine = Engine(build / "weir-io", tmp_path)
    text = engine.call(["--help"]).out
    assert "\n  MEMORY " in text
    assert "\n  ranks " in text
    done_run = engine.good("-a", "MEMORY", "-w", "-r", "-b", "64k", "-t", "8k", "-o", "nowhere")
    assert done_run.result("write")["moved_bytes"] == 65536
    assert engine.call(["ranks"], ranks=2).out == "2 ranks\n"
    assert_left_out(engine)


def assert_left_out(engine: Engine) -> None:
    """What was switched off is not there, is named as missing, and brings no library with it."""
    printed = "this weir-io was built without it; build it with"
    for arguments, how in {
        "ior -a HDF5": "-a HDF5: {} -DWEIR_HDF5=ON",
        "ior -a NCMPI": "-a NCMPI: {} -DWEIR_PNETCDF=ON",
        "ior -a netcdf4": "-a netcdf4: {} -DWEIR_NETCDF4=ON",
        "netcdf-bench -w": "--format=netcdf4: {} -DWEIR_NETCDF4=ON",
        "netcdf-bench -w --format=cdf5": "--format=cdf5: {} -DWEIR_PNETCDF=ON",
    }.items():
        done = engine.call(arguments.split())
        assert done.code == 2
        assert done.complaints == [f"weir-io: {arguments.split()[0]}: {how.format(printed)}"]
    linked = ran(["ldd", engine.program], check=True).stdout
    assert not [name for name in ("hdf5", "netcdf") if name in linked]


def test_a_missing_library_is_named_with_its_package(tmp_path: Path) -> None:
    arguments = ["cmake", "-S", str(ROOT), "-B", str(tmp_path), "-DWEIR_TESTS=OFF", "-DWEIR_HDF5=OFF"]
    environment = {**os.environ, "PKG_CONFIG_LIBDIR": str(tmp_path)}
    done = ran([*arguments, "-DWEIR_NETCDF4=OFF"], env=environment)
    assert done.returncode != 0
    assert "apt-get install libpnetcdf-dev" in done.stderr
    assert "-DWEIR_PNETCDF=OFF" in done.stderr
