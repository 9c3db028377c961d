"""Options of IOR and of the libraries below it: what they do where the library has them, else a refusal."""

from pathlib import Path

import pytest

from tests.engine.runs import Engine, argv

SHAPE = ["-t", "16k", "-b", "256k", "-s", "2", "-G", "7"]


def test_every_write_is_synchronised(engine: Engine, tmp_path: Path) -> None:
    write = engine.good("-w", "-Y", *SHAPE, "-o", tmp_path / "data").result("write")
    assert write["observed"]["sync_calls"] == write["operations"] == 32


def test_each_iteration_has_its_file(engine: Engine, tmp_path: Path) -> None:
    engine.good("-w", "-r", "-R", "-m", "-F", "-k", "-i", "2", *SHAPE, "-o", tmp_path / "data", ranks=2)
    assert sorted(path.name for path in tmp_path.glob("data*")) == [
        f"data.{rank:08d}.{iteration}" for rank in range(2) for iteration in range(2)
    ]


def test_a_prefilled_file_is_whole_whatever_the_stonewall_leaves(engine: Engine, tmp_path: Path) -> None:
    arguments = ["-a", "POSIX", "-w", "-k", "-z", "--randomPrefill=128k", "--rate=20", "-D", "0.2", *SHAPE]
    write = engine.good(*arguments, "-o", tmp_path / "data").result("write")
    assert write["moved_bytes"] < 512 << 10, "the stonewall ended it"
    assert (tmp_path / "data").stat().st_blocks * 512 >= 512 << 10


def test_filters_of_hdf5_shrink_the_file_and_lose_nothing(engine: Engine, tmp_path: Path) -> None:
    filters = ["--hdf5.chunkSize=4096", "--hdf5.deflate=4", "--hdf5.shuffle", "--hdf5.fletcher32"]
    arguments = ["-a", "HDF5", "-c", "-w", "-r", "-W", "-R", "-l", "timestamp", *filters, *SHAPE]
    write = engine.good(*arguments, "-o", tmp_path / "data", ranks=2).result("write")
    assert write["file_bytes"] < write["moved_bytes"] / 4
    assert write["verify"]["errors"] == 0


@pytest.mark.parametrize("collective", [[], ["-c"]], ids=["alone", "together"])
def test_posted_requests_of_pnetcdf_store_the_same_bytes(
    engine: Engine, tmp_path: Path, collective: list[str]
) -> None:
    for name, arguments in (("waits", []), ("posts", ["--pnetcdf.nonblocking=5"])):
        arguments = ["-a", "PNETCDF", *collective, *arguments, "-w", "-r", "-R", "-k", "-l", "random", *SHAPE]
        done = engine.good(*arguments, "-o", tmp_path / name, ranks=2)
    assert (tmp_path / "waits").read_bytes() == (tmp_path / "posts").read_bytes()
    assert done.result("read")["observed"]["queue"]["depth"] == 5
    assert done.result("read")["verify"]["errors"] == 0


def test_quantized_values_compress_better(engine: Engine, tmp_path: Path) -> None:
    document = tmp_path / "d.json"
    sizes = []
    for arguments in ([], ["--quantize=2"]):
        shape = argv("-d 2:64:64:4 -c auto -t coll -z 3 --type=float --values=position")
        file = tmp_path / "data.nc"
        done = engine.call(
            ["netcdf-bench", "-w", *shape, *arguments, "-f", file, f"--json={document}"], ranks=2
        )
        assert done.code == 0, done.err
        sizes.append(file.stat().st_size)
    assert sizes[1] < sizes[0]
    assert '"quantize_digits": 2' in document.read_text()


def test_zstd_is_there_or_refused_by_name(engine: Engine, tmp_path: Path) -> None:
    done = engine.call(
        ["netcdf-bench", "-w", "-t", "coll", "-c", "auto", "--zstd=3", "-f", tmp_path / "z.nc"]
    )
    assert done.code == 0 or "was built without zstd" in done.complaints[0]
