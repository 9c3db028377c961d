"""Files of the back ends that are file formats, read by libraries that are not the engine's."""

from itertools import product
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest

from tests.engine.cells import cells
from tests.engine.runs import Done, Engine, romio
from tests.engine.test_engine_bytes import packet, sequential_file

RANKS, SEGMENTS, BLOCK, XFER, SIGNATURE = 2, 3, 32768, 8192, 42
WHOLE = sequential_file(BLOCK, XFER, SEGMENTS, [0, 1])
GEOMETRY = ["-b", BLOCK, "-t", XFER, "-s", SEGMENTS, "-G", SIGNATURE]
# Each rank compares what the other wrote, as if it were on another node.
ACCESSES = ["-w", "-r", "-R", "-W", "-C", "-e", "-k", "-O", "numTasksOnNode0=1"]


def hdf5_bytes(path: Path) -> bytes:
    """One data set for each segment, in IOR's names, type and order."""
    with h5py.File(path) as file:
        assert list(file) == [f"Dataset-0000.{i:04}" for i in range(SEGMENTS)]
        assert {each.dtype.str for each in file.values()} == {"<i8"}
        return b"".join(each[:].tobytes() for each in file.values())


def netcdf_bytes(path: Path) -> bytes:
    """One variable of bytes, in IOR's names."""
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        lengths = {name: len(dimension) for name, dimension in file.dimensions.items()}
        sharers = lengths["segments_times_np"] // SEGMENTS
        assert lengths == {
            "segments_times_np": SEGMENTS * sharers,
            "number_of_transfers": BLOCK // XFER,
            "transfer_size": XFER,
        }
        assert list(file.variables) == ["data_var"]
        assert file["data_var"].dimensions == tuple(lengths)
        assert file["data_var"].dtype == np.dtype("i1")
        return bytes(file["data_var"][:].tobytes())


READERS = {"HDF5": hdf5_bytes, "NETCDF4": netcdf_bytes, "PNETCDF": netcdf_bytes}
LAYOUTS = {api: ["shared"] if api == "PNETCDF" else ["shared", "file-per-process"] for api in READERS}


def test_files_hold_what_was_requested_for(engine: Engine) -> None:
    kinds = [
        (api, layout, calls)
        for api in READERS
        for layout, calls in product(LAYOUTS[api], ["independent", "collective"])
    ]
    lists = []
    for api, layout, calls in kinds:
        arguments = ["ior", "-a", api, *GEOMETRY, *ACCESSES, "-o", "CELL/data"]
        arguments += ["-F"] if layout == "file-per-process" else []
        arguments += ["-c"] if calls == "collective" else []
        lists.append(arguments)
    for (api, layout, _), done in zip(kinds, cells(engine, RANKS, *lists), strict=True):
        assert done.code == 0, done.err
        found = {path.name: READERS[api](path) for path in done.folder.glob("data*")}
        if layout == "shared":
            assert found == {"data": WHOLE}
        else:
            alone = {
                f"data.{rank:08}": sequential_file(BLOCK, XFER, SEGMENTS, [rank]) for rank in range(RANKS)
            }
            assert found == alone
        assert_recorded(done, api)


def assert_recorded(done: Done, api: str) -> None:
    assert done.document["requested"]["api"] == api
    sizes = sum(path.stat().st_size for path in done.folder.glob("data*"))
    for result in done.document["results"]:
        assert result["moved_bytes"] == len(WHOLE)
        assert result["file_bytes"] == sizes > len(WHOLE)
        assert result["verify"]["errors"] == 0
        assert result["observed"]["open_flags"]
    assert done.document["results"][0]["observed"]["sync_calls"] == RANKS


def test_options_of_hdf5_reach_the_file(engine: Engine) -> None:
    arguments = ["-a", "HDF5", "-w", "-k", *GEOMETRY, "--hdf5.collectiveMetadata"]
    engine.good(*arguments, "--hdf5.chunkSize=1000", "--hdf5.noFill", "-o", "chunked", ranks=RANKS)
    engine.good(*arguments, "--hdf5.setAlignment=64k", "-o", "aligned", ranks=RANKS)
    with h5py.File(engine.folder / "chunked") as file:
        first = file["Dataset-0000.0000"]
        assert first.chunks == (1000,)
        assert first.id.get_create_plist().get_fill_time() == h5py.h5d.FILL_TIME_NEVER
    with h5py.File(engine.folder / "aligned") as file:
        assert {each.id.get_offset() % 65536 for each in file.values()} == {0}
    assert hdf5_bytes(engine.folder / "chunked") == hdf5_bytes(engine.folder / "aligned") == WHOLE


def test_calls_that_hdf5_does_not_make_together_are_no_collective_ones(engine: Engine) -> None:
    arguments = ["-a", "HDF5", "-c", "-w", *GEOMETRY, "-o", "data"]
    done = engine.failed(*arguments, ranks=RANKS, environment={"HDF5_MPI_OPT_TYPES": "0"})
    assert done.document["results"] == []
    assert "the transfers were not collective" in done.complaints[0]


@pytest.mark.parametrize("api", sorted(READERS))
def test_a_stonewall_parts_no_ranks(engine: Engine, api: str) -> None:
    """The ranks stop in different segments; hints are those that MPI-IO has in force."""
    arguments = ["-a", api, "-w", "-D", "0.02", "-b", "8k", "-t", "8k", "-s", 4000, "-o", "data"]
    hints = {"IOR_HINT__MPI__cb_nodes": "1", "OMPI_MCA_io": romio()}
    done = engine.good(*arguments, ranks=RANKS, environment=hints)
    assert done.document["requested"]["hints"] == {"cb_nodes": "1"}
    assert done.result("write")["stonewall"]["hit"]
    assert done.result("write")["observed"]["hints"]["cb_nodes"] == "1"


@pytest.mark.parametrize("api", ["NETCDF4", "PNETCDF"])
def test_a_file_of_other_transfers_is_no_such_file(engine: Engine, api: str) -> None:
    """The size of the transfers is in the shape of the variable."""
    engine.good("-a", api, "-w", "-k", *GEOMETRY, "-o", "data")
    done = engine.failed("-a", api, "-r", "-b", BLOCK, "-t", XFER // 2, "-s", SEGMENTS, "-o", "data")
    assert "it holds another geometry, blocks of 4 transfers of 8192 bytes" in done.complaints[0]


@pytest.mark.parametrize("api", sorted(READERS))
def test_what_differs_is_found(engine: Engine, api: str) -> None:
    data = engine.folder / "data"
    engine.good("-a", api, "-w", "-k", *GEOMETRY, "-o", "data")
    content = data.read_bytes()
    at = content.index(packet(0, XFER)) + 100
    data.write_bytes(content[:at] + b"\xff" + content[at + 1 :])
    done = engine.failed("-a", api, "-r", "-R", *GEOMETRY, "-o", "data")
    assert done.result("read")["verify"]["errors"] == 1
    data.write_bytes(content[: len(content) // 2])
    done = engine.failed("-a", api, "-r", *GEOMETRY, "-o", "data")
    assert done.document["errors"]
