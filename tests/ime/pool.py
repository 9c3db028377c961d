"""Programs of MPI that run with the memory pool preloaded."""

import os
import shutil
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.engine.runs import open_mpi, romio
from tests.programs import ran
from weir.witness.document import preloadable

HERE = Path(__file__).parent

LIBRARY = "libweir-pool.so"
LAUNCHER = "mpiexec.openmpi"
NETCDF_INCLUDES = "netcdf/mpi/include"  # pkg-config does not tell of it on Debian

Helper = Callable[[str, str | None], Path]
Launch = Callable[..., subprocess.CompletedProcess[str]]


def flags_of(module: str) -> list[str]:
    done = ran(["pkg-config", "--cflags", "--libs", module])
    if done.returncode != 0:
        pytest.skip(f"{module} is not installed")
    libraries = ran(["pkg-config", "--variable=libdir", module], check=True)
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
            arguments = ["mpicc.openmpi", "-std=gnu11", "-Wall", "-Wextra", "-Werror", HERE / f"{name}.c"]
            subprocess.run([*arguments, "-o", program, *flags], check=True)
        return program

    return compiled


@pytest.fixture
def launch(programs: Path, tmp_path: Path) -> Iterator[Launch]:
    """Runs a program on some ranks with the pool preloaded; the pool is gone afterwards."""
    library = programs.parent / LIBRARY
    if not library.exists():
        pytest.skip(f"{LIBRARY} is not built: no MPI compiler was found")
    preloaded = f"LD_PRELOAD={preloadable(library, tmp_path)}"
    pool = Path("/dev/shm") / f"weir-pool-test-{uuid.uuid4().hex[:8]}"
    environment = {**os.environ, **open_mpi()}
    # ompio deadlocks in set_size on the ordinary file that the pool is compared with; ROMIO does not
    settings = {"pml": "ob1", "btl": "self,vader", "io": romio()}

    def run(
        program: Path, ranks: int, *arguments: object, pool: Path = pool
    ) -> subprocess.CompletedProcess[str]:
        options = [option for key, value in settings.items() for option in ("--mca", key, value)]
        start = [LAUNCHER, "--oversubscribe", "--bind-to", "none", *options, "-x", preloaded]
        return ran(
            [*start, "-n", ranks, program, *arguments],
            env={**environment, "WEIR_POOL_DIR": str(pool)},
            timeout=300,
        )

    yield run
    shutil.rmtree(pool, ignore_errors=True)
