"""What benchtool gets wrong: mistakes that never end, verification without a verdict, lost errors."""

from pathlib import Path

import h5py
import pytest

from tests.engine.runs import Engine, romio
from tests.engine.test_engine_document import assert_valid

SHAPE = ["-d=4:6:8:3", "-f=data.nc"]
# 96 MB on a file system of 64 MiB
TOO_MUCH = ["-d=60:200:200:10", "-w"]


@pytest.mark.parametrize("arguments", [["-q"], ["-n=3", "-p=1"]])
def test_wrong_use_ends_on_several_ranks(bench: Engine, arguments: list[str]) -> None:
    done = bench.call(["netcdf-bench", *arguments], ranks=2)
    assert done.code == 2
    assert len(done.complaints) == 1


def test_help_ends_on_several_ranks(bench: Engine) -> None:
    done = bench.call(["netcdf-bench", "--help"], ranks=2)
    assert done.code == 0
    for option in ("--data-geometry", "--compression_level", "--use-fill-value", "--wear-out", "--json"):
        assert done.out.count(option) == 1, option


def test_long_forms_are_options_by_another_name(bench: Engine) -> None:
    arguments = ["--nn=1", "--ppn=1", "--data-geometry=4:6:8:3", "--block-geometry=1:6:8:3"]
    arguments += ["--chunk-geometry=auto", "--write", "--read", "--io-type=c", "--unlimited"]
    arguments += ["--compression_level=2", "--testfile=data.nc", "--output-format=parser"]
    requested = bench.good(*arguments).document["requested"]
    assert (requested["geometry"], requested["chunk"], requested["deflate_level"]) == (
        "4:6:8:3",
        "1:6:8:3",
        2,
    )
    assert (requested["collective"], requested["unlimited"], requested["access"]) == (
        True,
        True,
        ["write", "read"],
    )


@pytest.mark.parametrize("access", [["-r", "--verify"], ["--verify"]])
def test_data_that_differ_fail(bench: Engine, access: list[str]) -> None:
    bench.good("-w", *SHAPE)
    with h5py.File(bench.folder / "data.nc", "r+") as file:
        file["data"][2, 1, 0, 0] += 1
    done = bench.failed(*access, *SHAPE)
    assert "TEST FAILED [0]" in done.out
    assert done.document["status"] == "failed"
    assert done.result("read")["verify"]["errors"] == 1
    assert done.document["errors"][0]["call"] == "verify"
    assert_valid(done.document)


def test_a_file_that_does_not_fit_is_not_read(bench: Engine) -> None:
    bench.good("-w", *SHAPE)
    other = bench.run("-r", "-d=4:6:8:2", "-f=data.nc")
    assert (other.code, other.document["results"]) == (1, [])
    assert "data is 4:6:8:3, not 4:6:8:2" in other.complaints[0]
    assert "--type=double" in bench.run("-r", "--type=double", *SHAPE).complaints[0]
    longer = bench.run("-r", "-d=5:6:8:3", "-f=data.nc")
    assert (longer.code, longer.document["results"]) == (1, [])


@pytest.mark.parametrize("arguments", [["-w", "-f=absent/data.nc"], ["-r", "-f=absent.nc"]])
@pytest.mark.parametrize("form", ["netcdf4", "cdf5"])
@pytest.mark.parametrize("ranks", [1, 2])
def test_a_file_that_cannot_be_opened(bench: Engine, arguments: list[str], form: str, ranks: int) -> None:
    done = bench.failed(f"--format={form}", *arguments, ranks=ranks)
    assert done.document["results"] == []
    assert "No such file or directory" in done.complaints[0]


FULL = {
    "independent": ["-t=ind"],
    "collective": ["-t=coll"],
    "chunks": ["-t=ind", "-c=auto"],
    "collective chunks": ["-t=coll", "-c=auto"],
    "unlimited": ["-t=coll", "-u", "-c=auto"],
    "fill": ["-t=coll", "-F"],
    "file per process": ["-t=file-per-process"],
    "CDF-5": ["--format=cdf5"],
    "CDF-5 collective": ["--format=cdf5", "-t=coll"],
    "CDF-5 unlimited": ["--format=cdf5", "-t=coll", "-u"],
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("implementation", ["ompio", romio()])
@pytest.mark.parametrize("arguments", FULL.values(), ids=FULL.keys())
def test_no_number_for_bytes_that_are_not_there(
    bench: Engine, small_space: Path, arguments: list[str], implementation: str
) -> None:
    """Every error ends the run, also where HDF5 leaves one rank behind in a collective call."""
    requested = ["-n=1", "-p=2", *TOO_MUCH, *arguments, f"-f={small_space}/data.nc"]
    done = bench.failed(*requested, ranks=2, environment={"OMPI_MCA_io": implementation})
    assert "MiB/s" not in done.out
    assert done.complaints
    if done.document:  # rank 0 may be the one that is left behind
        assert (done.document["status"], done.document["results"]) == ("failed", [])
        assert done.document["errors"]


@pytest.mark.parametrize("arguments", [["-t=coll"], ["--format=cdf5"]])
def test_a_full_file_system_on_one_rank(bench: Engine, small_space: Path, arguments: list[str]) -> None:
    done = bench.failed(*TOO_MUCH, *arguments, f"-f={small_space}/data.nc")
    assert (done.document["status"], done.document["results"]) == ("failed", [])
    assert_valid(done.document)
