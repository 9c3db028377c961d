"""Each failure of a storage ends in one message with rank, call, path and errno, and exit code 1."""

import subprocess
from pathlib import Path

import pytest

from tests.engine.runs import Done, Engine, Fault, argv, open_mpi
from tests.engine.test_engine_document import assert_valid

NULL = ["-a", "NULL", "-b", "256k", "-t", "16k", "-o", "none"]
EIO, ENOSPC = 5, 28


def assert_failed(
    done: Done, call: str, errnum: int, ranks: list[int], results: int = 0
) -> dict[str, object]:
    """Exit code 1, one message, a failed document with the finished phases. Returns the first error."""
    assert done.code == 1, done.out + done.err
    assert len(done.complaints) == 1, done.err
    document = done.document
    assert document["status"] == "failed"
    assert len(document["results"]) == results
    assert [error["rank"] for error in document["errors"]] == ranks
    rows = [
        line for line in done.out.splitlines() if line.startswith(("write ", "read ")) and "NA" not in line
    ]
    assert len(rows) == results
    error = document["errors"][0]
    assert (error["call"], error["errno"]) == (call, errnum)
    for word in (f"rank {error['rank']}: ", error["call"], error["path"], error["error"]):
        assert word in done.complaints[0]
    return dict(error)


FAULTS = [
    (["--null.enospc-at=64k"], "write", ENOSPC),
    (["--null.eio-at=3"], "write", EIO),
    (["--null.stuck-at=3"], "write", EIO),
    (["--null.fail=open"], "open", EIO),
    (["--null.fail=sync", "-e"], "sync", EIO),
    (["--null.fail=close"], "close", EIO),
]


@pytest.mark.parametrize(("arguments", "call", "errnum"), FAULTS[:2])
def test_a_fault_fails_the_run(engine: Engine, arguments: list[str], call: str, errnum: int) -> None:
    error = assert_failed(engine.run(*NULL, "-w", *arguments), call, errnum, [0])
    assert error["path"] == "none"


@pytest.mark.parametrize(("arguments", "call", "errnum"), FAULTS)
def test_a_fault_on_one_rank_fails_the_run(
    engine: Engine, arguments: list[str], call: str, errnum: int
) -> None:
    done = engine.run(*NULL, "-w", "-g", "--null.fault-rank=1", *arguments, ranks=2)
    assert_failed(done, call, errnum, [1])


@pytest.mark.parametrize(
    "arguments",
    [
        ["-c", "--null.eio-at=5"],
        ["-c", "--null.fail=open"],
        ["-D", "5", "-O", "stoneWallingWearOut=1", "--null.eio-at=5"],
        ["-D", "5", "-O", "stoneWallingWearOut=1", "--null.fail=open"],
        ["--null.fail=open"],
    ],
    ids=" ".join,
)
def test_the_other_ranks_do_not_wait_for_a_failed_one(engine: Engine, arguments: list[str]) -> None:
    done = engine.run(*NULL, "-w", "-r", "--null.fault-rank=2", *arguments, ranks=3)
    call = "open" if "--null.fail=open" in arguments else "write"
    assert_failed(done, call, EIO, [2])


def test_nobody_waits_in_the_synchronisation_of_a_write_that_failed(engine: Engine, fault: Fault) -> None:
    """Open MPI's own MPI-IO has a barrier in MPI_File_sync."""
    environment = fault("pwrite", "/data", rank=1, after=2) | {"OMPI_MCA_io": "ompio"}
    arguments = ["-a", "MPIIO", "-c", "-Y", "-w", "-b", "64k", "-t", "16k", "-s", 2, "--no-warm-up"]
    done = engine.failed(*arguments, "-o", engine.folder / "data", ranks=2, environment=environment)
    assert {error["call"] for error in done.document["errors"]} == {"MPI_File_write_at_all"}


def test_a_message_for_all_ranks_that_failed_alike(engine: Engine) -> None:
    done = engine.run(*NULL, "-w", "--null.eio-at=1", ranks=3)
    assert_failed(done, "write", EIO, [0, 1, 2])
    assert "(and the same on 2 other ranks)" in done.complaints[0]


def test_only_the_rank_that_failed_is_named(engine: Engine) -> None:
    engine.good("-w", "-k", "-b", "64k", "-t", "8k", "-o", "data", "-F", ranks=2)
    (engine.folder / "data.00000001").write_bytes(b"short")
    done = engine.run("-r", "-k", "-b", "64k", "-t", "8k", "-o", "data", "-F", ranks=2)
    error = assert_failed(done, "pread", 0, [1])
    assert error["error"] == "end of file"
    assert error["path"] == "data.00000001"


def test_interruptions_and_short_transfers_are_repeated(engine: Engine) -> None:
    done = engine.good(*NULL, "-w", "--null.short-every=3", "--null.eintr-every=5")
    result = done.result("write")
    assert result["moved_bytes"] == 256 * 1024
    assert result["operations"] == result["latency"]["count"] == 16
    assert result["observed"]["retries"] > 0


@pytest.mark.parametrize("api", ["POSIX", "MPIIO"])
def test_a_missing_directory(engine: Engine, api: str) -> None:
    done = engine.run("-a", api, "-w", "-b", "16k", "-t", "8k", "-o", "absent/data", ranks=2)
    error = assert_failed(done, "open" if api == "POSIX" else "MPI_File_open", 2, [0, 1])
    assert error["path"] == "absent/data"


@pytest.mark.parametrize("api", ["POSIX", "MPIIO"])
def test_a_missing_file(engine: Engine, api: str) -> None:
    done = engine.run("-a", api, "-r", "-b", "16k", "-t", "8k", "-o", "absent")
    assert_failed(done, "open" if api == "POSIX" else "MPI_File_open", 2, [0])


@pytest.mark.parametrize("api", ["POSIX", "MPIIO"])
def test_a_file_that_is_too_short(engine: Engine, api: str) -> None:
    (engine.folder / "data").write_bytes(b"x" * 20_000)
    done = engine.run("-a", api, "-r", "-b", "32k", "-t", "8k", "-o", "data")
    error = assert_failed(done, "pread" if api == "POSIX" else "MPI_File_read_at", 0, [0])
    assert error["error"] == "end of file"


@pytest.mark.parametrize("api", ["POSIX", "MPIIO"])
def test_a_read_only_file_system(engine: Engine, read_only: Path, api: str) -> None:
    done = engine.run("-a", api, "-w", "-b", "16k", "-t", "8k", "-o", read_only / "data")
    assert_failed(done, "open" if api == "POSIX" else "MPI_File_open", 30, [0])


@pytest.mark.parametrize("name", ["folder", "/dev/null"])
def test_what_is_not_a_file_is_not_removed(engine: Engine, name: str) -> None:
    (engine.folder / "folder").mkdir()
    done = engine.run("-w", "-b", "16k", "-t", "8k", "-o", name)
    assert_failed(done, "unlink", 22, [0])
    assert Path("/dev/null").is_char_device()
    assert (engine.folder / "folder").is_dir()


def test_a_directory_that_vanishes_between_iterations(engine: Engine) -> None:
    place = engine.folder / "place"
    place.mkdir()
    arguments = argv("ior -w -i 50 -d 1 -b 16k -t 8k -o place/data --json=summary.json")
    process = subprocess.Popen(
        [engine.program, *arguments],
        cwd=engine.folder,
        env={**open_mpi(), "PATH": "/usr/bin:/bin", "HOME": str(engine.folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    while not process.stdout.readline().startswith("write "):
        assert process.poll() is None
    # In one step: the engine removes and creates its file meanwhile.
    place.rename(engine.folder / "elsewhere")
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert 'open("place/data") failed: No such file or directory' in err


PRELOADED = {"close": [], "fsync": ["-e"], "pwrite": [], "pread": []}


@pytest.mark.parametrize(
    "call", [pytest.param(call, marks=pytest.mark.slow if call != "close" else ()) for call in PRELOADED]
)
def test_errors_of_posix_calls(engine: Engine, fault: Fault, call: str) -> None:
    arguments = [*PRELOADED[call], "-w", "-r", "-b", "64k", "-t", "8k", "-o", "data"]
    done = engine.run(*arguments, environment=fault(call, "data"))
    assert_failed(done, call, EIO, [0], results=1 if call == "pread" else 0)


@pytest.mark.parametrize("kind", ["short", "interrupt"])
def test_posix_repeats_what_was_short_or_interrupted(engine: Engine, fault: Fault, kind: str) -> None:
    arguments = ["-w", "-W", "-r", "-R", "-l", "offset", "-b", "64k", "-t", "8k", "-o", "data"]
    done = engine.good(*arguments, environment=fault(kind, "data"))
    for access in ("write", "read"):
        result = done.result(access)
        assert result["observed"]["retries"] > 0
        assert result["verify"] == {"checked_bytes": 65536, "errors": 0, "first_error": None}


def test_a_file_that_another_client_creates_at_the_same_time_is_opened(engine: Engine, fault: Fault) -> None:
    """As a MooseFS of two clients refuses one of them, without O_EXCL."""
    arguments = ["-w", "-r", "-b", "64k", "-t", "8k", "-o", "data"]
    done = engine.good(*arguments, environment=fault("raced", "data"))
    assert [result["access"] for result in done.document["results"]] == ["write", "read"]


@pytest.mark.parametrize(("spared", "results"), [(0, []), (2, [("write", 0), ("read", 0)])])
def test_a_rank_that_cannot_reach_rank_0_writes_the_document(
    engine: Engine, fault: Fault, spared: int, results: list[tuple[str, int]]
) -> None:
    """Rank 0 waits in PnetCDF for ever: what was finished before stands in the document all the same."""
    environment = fault("fsync", "/data", rank=1, after=spared)
    environment |= {"OMPI_MCA_io": "ompio", "WEIR_GRACE_S": "1"}
    arguments = ["-a", "PNETCDF", "-w", "-r", "-e", "-i", 3, "-b", "64k", "-t", "8k"]
    done = engine.failed(*arguments, "-o", engine.folder / "data", ranks=2, environment=environment)
    assert_valid(done.document)
    assert done.document["status"] == "failed"
    assert [(one["access"], one["iteration"]) for one in done.document["results"]] == results
    [error] = done.document["errors"]
    assert (error["rank"], error["call"], error["errno"]) == (1, "ncmpi_sync", EIO)
    assert "other ranks did not come out of the library" in done.complaints[0]
    assert {path.name for path in engine.folder.iterdir()} == {"data", "summary.json"}


def test_a_slow_rank_is_named(engine: Engine) -> None:
    done = engine.good(*NULL, "-w", "--null.slow-rank=1", "--null.slow-us=30000", ranks=2)
    result = done.result("write")
    assert result["latency"]["slowest_rank"] == 1
    assert result["rank_extremes"]["io_s"]["max_rank"] == 1
    assert result["rank_extremes"]["io_s"]["max"] >= 16 * 0.03
    assert result["latency"]["max_us"] >= 30000
