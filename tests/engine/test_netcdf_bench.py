"""weir-io netcdf-bench writes what it should, reads it back, and reports what it did."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest

from tests.engine.cells import Together
from tests.engine.netcdf_files import stored, values
from tests.engine.runs import Engine, argv, succeeded
from tests.engine.test_engine_document import assert_valid
from tests.programs import ran
from weir.witness.document import preloadable

DATA = (4, 6, 8, 3)
SHAPE = ["-d=4:6:8:3", "-f=data.nc"]
HEADER = """\
netcdf data {
dimensions:
	time = 5 ;
	dim_1 = 2048 ;
	dim_2 = 256 ;
	dim_3 = 5 ;
variables:
	int data(time, dim_1, dim_2, dim_3) ;
}
"""


def test_what_two_ranks_write(bench: Engine) -> None:
    """In time steps of blocks; each rank reads what the other wrote, and finds it as it was."""
    done = bench.good("-n=1", "-p=2", "-w", "-r", "--verify", *SHAPE, ranks=2)
    assert_valid(done.document)
    assert np.array_equal(stored(bench.folder / "data.nc"), values(DATA, (1, 6, 4, 3), 1, 2))
    for access in ("write", "read"):
        result = done.result(access)
        assert result["moved_bytes"] == result["requested_bytes"] == 4 * 6 * 8 * 3 * 4
        assert result["operations"] == result["latency"]["count"] == 8
    assert done.result("read")["verify"] == {"checked_bytes": 2304, "errors": 0, "first_error": None}
    assert "TEST PASSED [0]" in done.out


def test_a_file_that_only_mpi_io_can_reach(bench: Engine) -> None:
    """Through the driver of a memory pool, twice: what was written is found, looked at and removed there."""
    library, folder = bench.program.parent / "libweir-pool.so", bench.folder / "pool"
    pool = {"LD_PRELOAD": preloadable(library, bench.folder), "WEIR_POOL_DIR": str(folder)}
    arguments = argv("-n=1 -p=2 -w -r --verify --iterations=2 -c=auto -d=4:6:8:3 -f=xpd:data")
    done = bench.good(*arguments, ranks=2, environment=pool)
    assert done.result("read", 1)["verify"] == {"checked_bytes": 2304, "errors": 0, "first_error": None}
    assert done.result("write", 1)["file_bytes"] > 2304
    assert [file.name for file in folder.iterdir()] == ["data"]
    assert not (bench.folder / "data").exists()


WAYS = {
    "collective": "-t=coll",
    "chunks": "-c=auto",
    "chunks that are no blocks": "-t=coll -c=2:4:5:2",
    "fill": "-F",
    "unlimited": "-t=coll -u",
    "unlimited with chunks": "-t=coll -u -c=auto",
    "deflate": "-t=coll -c=auto -z=4",
    "deflate with shuffle": "-t=coll -c=auto -z=9 --shuffle",
    "CDF-5": "--format=cdf5",
    "CDF-5 collective": "--format=cdf5 -t=coll",
    "CDF-5 unlimited": "--format=cdf5 -u",
    "CDF-5 unlimited collective": "--format=cdf5 -u -t=coll",
    "CDF-5 fill": "--format=cdf5 -F",
}
WROTE_AND_READ = "-w -r --verify -d=4:6:8:3 -f=CELL/data.nc"


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_write_the_same(together: Together, way: str) -> None:
    lines = {name: f"netcdf-bench -n=2 -p=2 {one} {WROTE_AND_READ}" for name, one in WAYS.items()}
    done = succeeded(together(tuple(lines.values()), 4)[lines[way]])
    path = done.folder / "data.nc"
    assert np.array_equal(stored(path), values(DATA, (1, 3, 4, 3), 2, 2))
    with netCDF4.Dataset(path) as file:
        assert file.data_model == ("NETCDF3_64BIT_DATA" if "--format=cdf5" in WAYS[way] else "NETCDF4")
        assert file.dimensions["time"].isunlimited() == ("-u" in WAYS[way])
    assert done.result("write")["file_bytes"] == path.stat().st_size


TYPES = {
    "byte": np.int8,
    "ubyte": np.uint8,
    "short": np.int16,
    "ushort": np.uint16,
    "uint": np.uint32,
    "int64": np.int64,
    "uint64": np.uint64,
    "float": np.float32,
    "double": np.float64,
}
TYPED = tuple(
    f"netcdf-bench --type={name} --format={form} -b=4:3:1:3 {WROTE_AND_READ}"
    for form in ("netcdf4", "cdf5")
    for name in TYPES
)


@pytest.mark.parametrize("line", TYPED)
def test_types(together: Together, line: str) -> None:
    """Also where a block is not a multiple of 8 bytes: one of 9 values is verified to its last."""
    done = succeeded(together(TYPED)[line])
    found = stored(done.folder / "data.nc")
    kind = TYPES[line.split()[1].removeprefix("--type=")]
    assert found.dtype.newbyteorder("=") == kind
    assert np.array_equal(found, values(DATA, (4, 3, 1, 3), 1, 1).astype(kind))
    assert done.result("read")["verify"]["checked_bytes"] == found.nbytes


@pytest.mark.parametrize("form", ["netcdf4", "cdf5"])
def test_a_file_for_each_process(bench: Engine, form: str) -> None:
    arguments = ["-t=file-per-process", f"--format={form}", "-w", "-r", "--verify", *SHAPE]
    done = bench.good("-n=1", "-p=2", *arguments, ranks=2)
    whole = values(DATA, (1, 6, 4, 3), 1, 2)
    for rank in range(2):
        assert np.array_equal(
            stored(bench.folder / f"data.nc-{rank}"), whole[:, :, 4 * rank : 4 * rank + 4, :]
        )
    assert done.document["requested"]["layout"] == "file-per-process"


def test_blocks_that_tile_a_share_fill_it(bench: Engine) -> None:
    """benchtool moves one of them and prints the bandwidth of all."""
    done = bench.good("-n=2", "-p=1", "-b=2:1:4:3", "-w", "-r", "--verify", *SHAPE, ranks=2)
    assert np.array_equal(stored(bench.folder / "data.nc"), values(DATA, (2, 1, 4, 3), 2, 1))
    assert done.result("write")["operations"] == 2 * (2 * 3 * 2 * 1)


def test_the_library_is_requested_what_it_did(bench: Engine) -> None:
    """Chunks, deflate, shuffle and fill as HDF5 has them, and as the document has them."""
    done = bench.good("-t=coll", "-c=2:3:4:3", "-z=6", "--shuffle", "--hint=cb_nodes=1", "-w", *SHAPE)
    assert done.result("write")["stored"] == {
        "chunk": "2:3:4:3",
        "deflate_level": 6,
        "shuffle": True,
        "zstd_level": 0,
        "quantize_digits": 0,
    }
    assert done.result("write")["observed"]["hints"]["cb_nodes"] == "1"
    assert done.result("write")["observed"]["open_flags"] == ["O_RDWR"]
    with h5py.File(bench.folder / "data.nc") as file:
        data = file["data"]
        assert (data.chunks, data.compression_opts, data.shuffle) == ((2, 3, 4, 3), 6, True)
        assert data.id.get_create_plist().get_fill_time() == h5py.h5d.FILL_TIME_NEVER


@pytest.mark.skipif(shutil.which("ncdump") is None, reason="ncdump is not on the PATH")
def test_the_header_is_that_of_the_sample(bench: Engine) -> None:
    bench.good("-d=5:2048:256:5", "-w", "-f=data.nc")
    assert ran(["ncdump", "-h", "data.nc"], cwd=bench.folder, check=True).stdout == HEADER


BENCHTOOL = os.environ.get("BENCHTOOL") or shutil.which("benchtool")


@pytest.mark.skipif(BENCHTOOL is None, reason="there is no benchtool: set BENCHTOOL or put it on the PATH")
@pytest.mark.parametrize("arguments", [[], ["-t=coll"], ["-c=auto"], ["-F"], ["-t=file-per-process"]])
def test_the_file_is_that_of_benchtool(bench: Engine, arguments: list[str]) -> None:
    requested = ["-n=1", "-p=2", "-d=5:60:8:3", "-w", *arguments]  # below 1000 bytes benchtool never ends
    bench.good(*requested, "-f=ours.nc", ranks=2)
    done = Engine(Path(str(BENCHTOOL)), bench.folder).call([*requested, "-f=theirs.nc"], 2)
    assert done.code == 0, done.err
    ours = sorted(path for path in bench.folder.iterdir() if path.name.startswith("ours"))
    assert ours
    for path in ours:
        other = path.with_name(path.name.replace("ours", "theirs"))
        if "-c=auto" not in arguments:  # chunks are allocated as the ranks come
            assert path.read_bytes() == other.read_bytes()
        assert np.array_equal(stored(path), stored(other))


def test_iterations_and_synchronisation(bench: Engine) -> None:
    done = bench.good("--iterations=2", "-w", "-r", "--sync", *SHAPE)
    found = [(result["access"], result["iteration"]) for result in done.document["results"]]
    assert found == [("write", 0), ("read", 0), ("write", 1), ("read", 1)]
    assert [done.result("write", i)["observed"]["sync_calls"] for i in range(2)] == [1, 1]
    assert done.result("write", 1)["sync_s"] > 0
    assert done.result("read", 1)["sync_s"] == 0
    assert done.out.count("benchmark:write      I/O Performance  ") == 2


WALLED = tuple(
    f"netcdf-bench -n=1 -p=2 -d=64:6:8:3 -f=CELL/f.nc -w -r --verify --stonewall=0.000001 {layout} {wear_out}"
    for layout in ("-t=ind", "-t=coll", "-t=coll -u", "--format=cdf5 -u")
    for wear_out in ("", "--wear-out")
)


@pytest.mark.parametrize("line", WALLED)
def test_stonewall(together: Together, line: str) -> None:
    """The wall is hit after the first block; the read gets what was written, and that is right."""
    done = succeeded(together(WALLED, 2)[line])
    assert_valid(done.document)
    written, read = done.result("write"), done.result("read")
    assert written["stonewall"]["hit"]
    assert written["stonewall"]["wear_out"] == ("--wear-out" in line)
    assert 0 < written["moved_bytes"] < written["requested_bytes"]
    assert read["moved_bytes"] <= written["moved_bytes"]
    assert read["verify"]["checked_bytes"] == read["moved_bytes"]
    if "--wear-out" in line or "-t=coll" in line:
        extremes = written["rank_extremes"]["moved_bytes"]
        assert extremes["min"] == extremes["max"]


@pytest.mark.parametrize("layout", ["ind", "file-per-process"])
def test_drop_caches(bench: Engine, layout: str) -> None:
    """A rank reads what another wrote, from the device."""
    arguments = ["-n=1", "-p=2", "-w", "-r", "-d=4:64:64:16", f"-t={layout}", "-f=data.nc", "--drop-caches"]
    read = bench.good(*arguments, ranks=2).result("read")["observed"]
    if read["fetched_bytes"] is None:
        pytest.skip(f"{bench.folder} lies on {read['file_system']}, which is not counted")
    assert read["residency"]["before"] < 0.1
    assert read["fetched_bytes"] >= 4 * 64 * 64 * 16 * 4


def test_a_file_of_before_is_verified(bench: Engine, tmp_path: Path) -> None:
    """--verify alone reads what is there, prints a verdict and no bandwidth."""
    bench.good("-w", *SHAPE)
    done = bench.good("--verify", *SHAPE)
    assert "TEST PASSED [0]" in done.out
    assert "MiB/s" not in done.out
    assert done.result("read")["verify"]["checked_bytes"] == 2304


def test_sanitized(sanitized: Engine) -> None:
    bench = replace(sanitized, personality="netcdf-bench")
    for arguments in (["-t=coll", "-c=auto", "-z=1", "-u"], ["--format=cdf5", "--hint=cb_nodes=1"]):
        done = bench.good("-n=1", "-p=2", "-w", "-r", "--verify", *arguments, *SHAPE, ranks=2)
        assert "ERROR: AddressSanitizer" not in done.err
        assert "runtime error" not in done.err
