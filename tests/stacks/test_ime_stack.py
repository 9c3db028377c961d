"""An installed stack with IME: both of its interfaces move their bytes through the store, not past it."""

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.programs import ran
from tests.stacks.conftest import ROOT
from weir.cli import main

DATA_BYTES = 2 * 2**20


@pytest.fixture
def prefix() -> Path:
    """That of WEIR_IME_STACK, else the view that `spack -e . install` leaves in this checkout."""
    folder = Path(os.environ.get("WEIR_IME_STACK", ROOT / ".spack-env" / "stacks" / "mpich-ime")) / "bin"
    lacking = [name for name in ("weir-io", "mpiexec", "imectl") if not (folder / name).exists()]
    if lacking:
        pytest.skip(f"no stack with IME: {folder} has no {lacking[0]} (docs/how-to/stacks.md)")
    return folder.parent


def started(program: Path, *arguments: str | Path) -> list[str | Path]:
    """The command of two ranks of a program, by the launcher beside it."""
    hydra = program.parent / "mpiexec.hydra"
    # Open MPI otherwise refuses to run as root, and two ranks on one core.
    open_mpi = [program.parent / "mpiexec", "--allow-run-as-root", "--map-by", ":OVERSUBSCRIBE"]
    return [*([hydra] if hydra.exists() else open_mpi), "-n", "2", program, *arguments]


@pytest.fixture
def store(prefix: Path, tmp_path: Path) -> Iterator[Mapping[str, str]]:
    """An empty store that drains only when requested; the environment of its clients."""
    with tempfile.TemporaryDirectory(prefix="weir-ime-stack-", dir="/dev/shm") as fast:
        backing = tmp_path / "backing"
        backing.mkdir()
        settings = tmp_path / "ime.conf"
        settings.write_text(f"fast = {fast}/store\nbacking = {backing}\ncapacity = 64 MiB\ndrain = manual\n")
        environment = {**os.environ, "IM_CLIENT_CFG_FILE": str(settings)}
        output_of([prefix / "bin" / "imectl", "create"], environment)
        yield environment
        output_of([prefix / "bin" / "imectl", "destroy"], environment)


def output_of(arguments: Sequence[str | Path], environment: Mapping[str, str]) -> str:
    return ran(arguments, env=environment, timeout=60, code=0).stdout


def test_the_stack_has_both_interfaces(prefix: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stacks", "--prefix", str(prefix), "--json"]) == 0
    (facts,) = json.loads(capsys.readouterr().out)
    assert {"romio-ime", "ime-native", "tool-ior"} <= set(facts["features"])
    assert {"mpich", "openmpi"} & set(facts["features"])
    assert facts["problems"] == []


# NetCDF takes ime:// for an address.
@pytest.mark.parametrize(
    ("api", "file_prefix"), [("IME", "ime://"), ("MPIIO", "ime://"), ("HDF5", "ime://"), ("NETCDF4", "ime:")]
)
def test_every_byte_is_in_the_store_and_none_behind_it(
    prefix: Path, store: Mapping[str, str], tmp_path: Path, api: str, file_prefix: str
) -> None:
    file = tmp_path / "backing" / "data"
    summary = tmp_path / "summary.json"
    options = ["-t", "64k", "-b", "1m", "-w", "-r", "-R", "-e", "-k"]
    arguments = started(prefix / "bin" / "weir-io", "ior", "-a", api, *options)
    arguments += ["-o", f"{file_prefix}{file}", f"--json={summary}"]
    done = ran(arguments, env=store, timeout=60)
    if f"-a {api}: this weir-io was built without it" in done.stderr:
        pytest.skip(f"the weir-io of this stack was built without {api}")
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(summary.read_text())
    read = next(row for row in document["results"] if row["access"] == "read")
    assert document["job"]["tasks"] == 2
    assert (read["verify"]["checked_bytes"], read["verify"]["errors"]) == (DATA_BYTES, 0)
    status: dict[str, Any] = json.loads(output_of([prefix / "bin" / "imectl", "status", "--json"], store))
    (entry,) = status["files"]
    # A file format adds bytes of its own.
    assert entry["size_bytes"] >= entry["dirty_bytes"] >= DATA_BYTES
    assert entry["drained_bytes"] == 0
    # A program that goes past the store would have written here.
    assert file.stat().st_size == 0
