"""A full file system is an error of every back end, also where the MPI library reports success."""

from pathlib import Path

import pytest

from tests.engine.runs import Engine, romio

ENOSPC = 28
IMPLEMENTATIONS = {"ompio": {"OMPI_MCA_io": "ompio"}, "romio": {"OMPI_MCA_io": romio()}}


def test_posix(engine: Engine, small_space: Path) -> None:
    done = engine.failed("-w", "-r", "-b", "96m", "-t", "1m", "-o", small_space / "data")
    assert done.document["results"] == []
    error = done.document["errors"][0]
    assert (error["call"], error["errno"]) == ("pwrite", ENOSPC)
    assert "No space left on device" in done.complaints[0]
    assert list(small_space.iterdir()) == []


def test_mmap(engine: Engine, small_space: Path) -> None:
    """The kernel sends a signal; also a file that ends too early is told by one."""
    done = engine.failed(
        "-a", "MMAP", "-w", "-F", "-b", "48m", "-t", "1m", "-o", small_space / "data", ranks=2
    )
    assert {error["errno"] for error in done.document["errors"]} == {ENOSPC}
    assert "SIGBUS" in done.complaints[0]
    assert list(small_space.iterdir()) == []
    short = engine.folder / "short"
    short.write_bytes(bytes(100_000))
    done = engine.failed("-a", "MMAP", "-r", "-b", "128k", "-t", "32k", "-o", short)
    assert "end of file, SIGBUS in the mapped file: 32768 bytes at offset 98304" in done.complaints[0]


@pytest.mark.sample(3)
@pytest.mark.parametrize("implementation", sorted(IMPLEMENTATIONS))
@pytest.mark.parametrize("layout", [[], ["-F"]], ids=["shared", "file-per-process"])
@pytest.mark.parametrize("calls", [[], ["-c"]], ids=["independent", "collective"])
@pytest.mark.parametrize("geometry", [["-b", "48m", "-t", "1m"], ["-b", "64k", "-t", "64k", "-s", "768"]])
def test_mpiio_prints_no_number_for_bytes_that_are_not_there(
    engine: Engine,
    small_space: Path,
    implementation: str,
    layout: list[str],
    calls: list[str],
    geometry: list[str],
) -> None:
    arguments = ["-a", "MPIIO", "-w", "-r", *layout, *calls, *geometry, "-o", small_space / "data"]
    done = engine.failed(*arguments, ranks=2, environment=IMPLEMENTATIONS[implementation])
    assert done.document["results"] == []
    assert not [line for line in done.out.splitlines() if line.startswith("write ")]
    assert done.document["errors"]
    assert "failed: " in done.complaints[0]


def test_all_ranks_of_a_full_file_system_end(engine: Engine, small_space: Path) -> None:
    done = engine.failed("-w", "-e", "-F", "-b", "48m", "-t", "1m", "-o", small_space / "data", ranks=2)
    assert {error["errno"] for error in done.document["errors"]} == {ENOSPC}
    assert list(small_space.iterdir()) == []


def test_a_failed_run_keeps_its_files_if_requested_to(engine: Engine, small_space: Path) -> None:
    engine.failed("-w", "-k", "-b", "96m", "-t", "1m", "-o", small_space / "data")
    assert [path.name for path in small_space.iterdir()] == ["data"]


@pytest.mark.parametrize(
    ("api", "calls", "implementation"),
    [
        ("HDF5", ["-c"], "ompio"),
        ("HDF5", [], "romio"),
        ("NETCDF4", ["-c"], "romio"),
        ("PNETCDF", ["-c"], "romio"),
        ("PNETCDF", [], "ompio"),
    ],
)
def test_formats_end_with_a_message(
    engine: Engine, small_space: Path, api: str, calls: list[str], implementation: str
) -> None:
    arguments = ["-a", api, "-w", "-r", *calls, "-b", "1m", "-t", "1m", "-s", 48, "-o", small_space / "data"]
    done = engine.failed(*arguments, ranks=2, environment=IMPLEMENTATIONS[implementation])
    assert done.document["status"] == "failed"
    assert done.document["results"] == []
    assert done.document["errors"]
    assert not [line for line in done.out.splitlines() if line.startswith("write ")]
    # The launcher of Open MPI 5 may drop what a rank prints just before it ends; the document has it.
    assert "failed: " in [*done.complaints, *map(str, done.document["errors"])][0]
    assert "Signal" not in done.err
