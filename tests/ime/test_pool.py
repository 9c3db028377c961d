"""Files in the node's memory, through MPI-IO, HDF5 and NetCDF-4."""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LIBRARY = "libweir-pool.so"
LAUNCHER = "mpiexec.openmpi"
NETCDF_INCLUDES = "netcdf/mpi/include"  # pkg-config does not tell of it on Debian

Helper = Callable[[str, str | None], Path]
Launch = Callable[..., subprocess.CompletedProcess[str]]


def flags_of(module: str) -> list[str]:
    done = subprocess.run(
        ["pkg-config", "--cflags", "--libs", module], check=False, capture_output=True, text=True
    )
    if done.returncode != 0:
        pytest.skip(f"{module} is not installed")
    libraries = subprocess.run(
        ["pkg-config", "--variable=libdir", module], check=True, capture_output=True, text=True
    )
    return [*done.stdout.split(), f"-I{libraries.stdout.strip()}/{NETCDF_INCLUDES}"]


@pytest.fixture(scope="session")
def helper(tmp_path_factory: pytest.TempPathFactory) -> Helper:
    folder = tmp_path_factory.mktemp("pool")

    def compiled(name: str, module: str | None) -> Path:
        if shutil.which("mpicc.openmpi") is None:
            pytest.skip("mpicc.openmpi is not installed")
        program = folder / name
        if not program.exists():
            flags = flags_of(module) if module else []
            words = ["mpicc.openmpi", "-std=gnu11", "-Wall", "-Wextra", "-Werror", HERE / f"{name}.c"]
            subprocess.run([*words, "-o", program, *flags], check=True)
        return program

    return compiled


@pytest.fixture
def launch(programs: Path) -> Iterator[Launch]:
    """Runs a program on some ranks with the pool preloaded; the pool is gone afterwards."""
    library = programs.parent / LIBRARY
    if not library.exists():
        pytest.skip(f"{LIBRARY} is not built: no MPI compiler was found")
    pool = Path("/dev/shm") / f"weir-pool-test-{uuid.uuid4().hex[:8]}"
    environment = {
        **os.environ,
        "WEIR_POOL_DIR": str(pool),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    # ompio deadlocks in set_size on the ordinary file that the pool is compared with; ROMIO does not
    settings = {"pml": "ob1", "btl": "self,vader", "io": "romio321", "mpi_yield_when_idle": "1"}

    def run(program: Path, ranks: int, *words: object) -> subprocess.CompletedProcess[str]:
        options = [word for key, value in settings.items() for word in ("--mca", key, value)]
        start = [LAUNCHER, "--oversubscribe", "--bind-to", "none", *options, "-x", f"LD_PRELOAD={library}"]
        return subprocess.run(
            [*start, "-n", str(ranks), program, *(str(word) for word in words)],
            check=False,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )

    yield run
    shutil.rmtree(pool, ignore_errors=True)


def expect(done: subprocess.CompletedProcess[str], text: str) -> None:
    assert done.returncode == 0, done.stdout + done.stderr
    assert text in done.stdout


def test_views_on_two_ranks(helper: Helper, launch: Launch, tmp_path: Path) -> None:
    done = launch(helper("pool_model", None), 2, tmp_path / "ordinary", 60, 1)
    expect(done, "60 rounds on 2 ranks, no difference")


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_views_of_many_kinds(ranks: int, helper: Helper, launch: Launch, tmp_path: Path) -> None:
    done = launch(helper("pool_model", None), ranks, tmp_path / "ordinary", 500, 40 + ranks)
    expect(done, f"500 rounds on {ranks} ranks, no difference")


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_hdf5(ranks: int, helper: Helper, launch: Launch) -> None:
    done = launch(helper("pool_hdf5", "hdf5-openmpi"), ranks, "xpd:file.h5")
    expect(done, f"8 datasets on {ranks} ranks are right")


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_netcdf(ranks: int, helper: Helper, launch: Launch) -> None:
    done = launch(helper("pool_netcdf", "netcdf-mpi"), ranks, "xpd:file.nc")
    expect(done, f"2 variables on {ranks} ranks are right")


@pytest.mark.slow
def test_other_names_go_to_the_file_system(helper: Helper, launch: Launch, tmp_path: Path) -> None:
    done = launch(helper("pool_hdf5", "hdf5-openmpi"), 2, tmp_path / "file.h5")
    expect(done, "8 datasets on 2 ranks are right")
    assert list(tmp_path.iterdir()) == []  # it was there, and was deleted there


@pytest.mark.slow
def test_a_failed_open_says_why(helper: Helper, launch: Launch) -> None:
    done = launch(helper("pool_hdf5", "hdf5-openmpi"), 1, "xpd:")
    assert done.returncode != 0
    assert "cannot open the file" in done.stderr
