"""What the probe counts is whole, and what it touches before the clock starts is little and recorded."""

import json
import platform
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.compiled import shared_library
from tests.engine.cells import Together
from tests.engine.runs import ROOT, Engine, Fault, succeeded

WRITES = 64  # of each rank
SHAPE = ["-w", "-k", "-t", "4k", "-b", f"{4 * WRITES}k"]


def test_counters_of_the_node_hold_what_its_slowest_rank_wrote(
    engine: Engine, tmp_path: Path, fault: Fault
) -> None:
    """Rank 0 reads the counters of the node; rank 1 writes on for 128 ms after it."""
    mount = tmp_path / "lustre" / "llite" / "work-1"
    mount.mkdir(parents=True)
    (mount / "stats").write_text("write_bytes 0 samples [bytes] 1 1 1\n")
    environment = fault("slow", "data", rank=1, stats=mount / "stats")
    environment |= {"WEIR_LUSTRE_ROOT": str(tmp_path / "lustre")}
    done = engine.good(*SHAPE, "-o", "data", ranks=2, environment=environment)
    counters = done.result("write")["observed"]["lustre"]["counters"]
    assert counters["write_bytes"]["samples"] == 2 * WRITES


@pytest.mark.parametrize(
    ("arguments", "before_reads"),
    [([], {"0": ["open", "open"], "1": ["open"]}), (["--no-residency"], {"0": ["open"], "1": ["open"]})],
    ids=["residency", "no residency"],
)
def test_the_timed_open_is_the_first_use_of_the_name(
    engine: Engine, tmp_path: Path, fault: Fault, arguments: list[str], before_reads: dict[str, list[str]]
) -> None:
    """Of all ranks only rank 0 opens its file for a look at its pages, and reports it."""
    engine.good(*SHAPE, "-F", "-o", "data", ranks=2)
    log = tmp_path / "log"
    environment = fault(path="data", log=log)
    read = ["-r", "-k", "-t", "4k", "-b", f"{4 * WRITES}k", "-F", "-o", "data", "--no-warm-up", *arguments]
    done = engine.good(*read, ranks=2, environment=environment)
    seen: dict[str, list[str]] = {"0": [], "1": []}
    reading = set()
    for line in log.read_text().splitlines():
        rank, call, _ = line.split(maxsplit=2)
        reading |= {rank} if call == "pread" else set()
        if rank not in reading:
            seen[rank].append(call)
    assert seen == before_reads
    observed = done.result("read")["observed"]
    assert observed["touched"] == (["directory"] if arguments else ["directory", "file"])
    if arguments:
        assert observed["residency"] is None


def test_values_by_position_find_swapped_time_steps(engine: Engine, tmp_path: Path) -> None:
    """benchtool's values are the same in every time step; those of its comparison too."""
    file, steps = tmp_path / "f.nc", 4
    shape = ["-n=1", "-p=2", f"-d={steps}:4:4:2", "-b=1:4:2:2", f"-f={file}", "--format=cdf5"]
    for values, code in (("block", 0), ("position", 1)):
        arguments = ["netcdf-bench", *shape, f"--values={values}"]
        assert engine.call([*arguments, "-w", "-r", "--verify"], ranks=2).code == 0
        data = file.read_bytes()
        step = 4 * 4 * 2 * 4
        head, blocks = data[: -steps * step], data[-steps * step :]
        file.write_bytes(head + blocks[step : 2 * step] + blocks[:step] + blocks[2 * step :])
        done = engine.call([*arguments, "-r", "--verify", f"--json={tmp_path / 'out.json'}"], ranks=2)
        assert done.code == code, done.err
    found = json.loads((tmp_path / "out.json").read_text())["results"][0]["verify"]
    assert found["errors"] > 0
    assert json.loads((tmp_path / "out.json").read_text())["requested"]["values"] == "position"


BY_POSITION = tuple(
    f"netcdf-bench -n=1 -p=2 -d=3:4:4:2 -w -r --verify --values=position --type={kind} -t={way} -f=CELL/f.nc"
    for way in ("ind", "file-per-process")
    for kind in ("int", "float", "double", "byte", "uint64")
)


@pytest.mark.parametrize("line", BY_POSITION)
def test_values_by_position_come_back(together: Together, line: str) -> None:
    assert succeeded(together(BY_POSITION, 2)[line]).result("read")["verify"]["errors"] == 0


def test_a_collective_transfer_done_chunk_by_chunk_is_an_error(
    engine: Engine, tmp_path: Path, fault: Fault
) -> None:
    arguments = ["-a", "HDF5", "-c", "-w", "-t", "4k", "-b", "16k", "-o", tmp_path / "f"]
    done = engine.failed(*arguments, ranks=2, environment=fault("chunks"))
    assert "the transfers were not collective" in done.complaints[0]


def test_a_leftover_errno_says_nothing_of_a_short_read(engine: Engine, tmp_path: Path, fault: Fault) -> None:
    arguments = ["-a", "MPIIO", "-t", "4k", "-b", "16k", "-k", "-o", "data"]
    engine.good("-w", *arguments)
    with (tmp_path / "data").open("r+b") as file:
        file.truncate(8192)
    done = engine.failed("-r", *arguments, environment=fault("errno"))
    assert "end of file" in done.complaints[0]
    assert "No such file" not in done.complaints[0]


@pytest.mark.parametrize("api", ["POSIX", "MMAP", "MPIIO", "HDF5", "NETCDF4", "PNETCDF"])
def test_libraries_are_used_once_before_the_first_timed_phase(
    engine: Engine, tmp_path: Path, fault: Fault, api: str
) -> None:
    """A file of one transfer a rank, beside the measured one, of which nothing stays."""
    log = tmp_path / "log"
    environment = fault(path="warm-up", log=log)
    arguments = ["-a", api, "-w", "-r", "-t", "4k", "-b", "16k", "-s", "2", "-o", "data"]
    done = engine.good(*arguments, ranks=2, environment=environment)
    assert done.document["job"]["warmed_up"] is True
    assert "warm-up" in log.read_text().replace("pread warm-up", "")
    log.unlink()
    done = engine.good(*arguments, "--no-warm-up", ranks=2, environment=environment)
    assert done.document["job"]["warmed_up"] is False
    rest = log.read_text() if log.exists() else ""
    assert "warm-up" not in rest.replace("pread warm-up", "")
    assert [path.name for path in tmp_path.iterdir() if "data" in path.name] == []


def test_an_audit_library_is_recorded_where_it_binds_calls_anew(engine: Engine, tmp_path: Path) -> None:
    """One that only watches, or that cannot be loaded, stands between nothing."""
    faults = ROOT / "tests/zoo/faults.c"
    for options, expected in (([], ["fsync"]), (["-DIDLE"], [])):
        library = tmp_path / f"audit{len(options)}.so"
        shared_library(library, faults, "-std=c11", "-DAUDIT", *options)
        done = engine.good(*SHAPE, "-o", "data", environment={"LD_AUDIT": str(library)})
        found = [one["call"] for one in done.document["job"]["interposed"] if one["object"] == str(library)]
        assert found == expected
    done = engine.good(*SHAPE, "-o", "data", environment={"LD_AUDIT": "/nowhere/audit.so"})
    assert all("audit" not in one["object"] for one in done.document["job"]["interposed"])


def test_a_preloaded_library_is_recorded_whatever_it_is_called(
    engine: Engine, tmp_path: Path, faults_library: Path
) -> None:
    library = tmp_path / "libmpi-darshan.so"
    shutil.copy(faults_library, library)
    done = engine.good(*SHAPE, "-o", "data", environment={"LD_PRELOAD": str(library)})
    assert str(library) in {one["object"] for one in done.document["job"]["interposed"]}


@pytest.mark.parametrize("api", ["POSIX", "MPIIO", "HDF5", "PNETCDF"])
def test_a_wrong_answer_of_seek_hole_is_recorded_and_ends_nothing(
    engine: Engine, tmp_path: Path, fault: Fault, api: str
) -> None:
    """As a server of Lustre answers: a hole from the first byte on, in a file whose bytes are there."""
    arguments = ["-a", api, "-w", "-r", "-k", "-t", "4k", "-b", "1m", "-o", tmp_path / "data"]
    done = engine.good(*arguments, ranks=2, environment=fault("hole", "data"))
    assert done.result("write")["observed"]["denied_holes"] >= 1
    assert done.result("write")["moved_bytes"] == 2 * 2**20


@pytest.mark.parametrize("api", ["POSIX", "MPIIO", "HDF5"])
def test_a_size_that_the_client_keeps_is_asked_for_again(
    engine: Engine, tmp_path: Path, fault: Fault, api: str
) -> None:
    """As GlusterFS answers on one node for a second after another node has written."""
    arguments = ["-a", api, "-w", "-k", "-t", "64k", "-b", "1m", "-o", tmp_path / "data"]
    done = engine.good(*arguments, environment=fault("stale", "data", times=4))
    assert done.result("write")["observed"]["late_sizes"] == 1
    if api == "POSIX":
        done = engine.failed(*arguments, environment=fault("stale", "data"))
        assert "but the file ends at byte" in done.complaints[0]


def test_a_hole_that_is_there_ends_the_run(engine: Engine, tmp_path: Path, fault: Fault) -> None:
    """Every second transfer is lost and reported as done: the file has the size, and zeros in it."""
    arguments = ["-w", "-k", "-t", "64k", "-b", "1m", "-o", tmp_path / "data"]
    done = engine.failed(*arguments, environment=fault("lose", "data"))
    assert "lseek(SEEK_HOLE)" in done.complaints[0]
    assert "the file has a hole at byte" in done.complaints[0]


def test_a_machine_that_interrupts_each_reading_of_the_clocks_has_no_wrong_clock(
    engine: Engine, tmp_path: Path, fault: Fault
) -> None:
    """The moments of two readings are known to milliseconds only, which is a percent of a short phase."""
    arguments = ["-w", "-t", "4k", "-b", "16k", "-o", tmp_path / "data"]
    done = engine.good(*arguments, environment=fault("clock"))
    assert done.result("write")["observed"]["clock_error"] in (0, None)


@pytest.mark.parametrize("api", ["POSIX", "MPIIO", "MMAP"])
def test_reads_of_memory_are_compared_with_the_file(engine: Engine, memory: Path, api: str) -> None:
    shape = ["-a", api, "-w", "-r", "-t", "4k", "-b", "1m", "-C"]
    done = engine.good(*shape, "-o", str(memory / "data"), ranks=2)
    assert done.result("read")["observed"]["contents"] == {"looked": 2 * 16, "differing": 0}
    assert "contents" not in done.result("write")["observed"]


def test_reads_elsewhere_are_not_compared(engine: Engine) -> None:
    place = Path(tempfile.mkdtemp(dir="/var/tmp"))
    try:
        done = engine.good(*SHAPE, "-r", "-o", str(place / "data"))
    finally:
        shutil.rmtree(place)
    seen = done.result("read")["observed"]
    if seen["file_system"] == "tmpfs":
        pytest.skip("/var/tmp is in memory")
    assert "contents" not in seen


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the library has the registers of x86-64")
def test_reads_that_are_led_elsewhere_differ(engine: Engine, memory: Path) -> None:
    source = ROOT / "tests/zoo/lookups.c"
    library = shared_library(memory / "changing.so", source, "-DAUDITOR", "-DREADS")
    shape = ["-w", "-r", "-t", "64k", "-b", "1m", "-o", str(memory / "data")]
    done = engine.good(*shape, environment={"LD_AUDIT": str(library)})
    assert done.result("read")["observed"]["contents"] == {"looked": 16, "differing": 16}
    assert {"call": "la_x86_64_gnu_pltenter", "object": str(library)} in done.document["job"]["interposed"]
