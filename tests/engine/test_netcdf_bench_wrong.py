"""What benchtool gets wrong: mistakes that never end, verification without a verdict, lost errors."""

from __future__ import annotations

from pathlib import Path

import h5py
import pytest

from tests.engine.netcdf_files import bench, good
from tests.engine.runs import Engine, romio
from tests.engine.test_engine_document import assert_valid

SHAPE = ["-d=4:6:8:3", "-f=data.nc"]
slow = pytest.mark.slow
# 96 MB on a file system of 64 MiB
TOO_MUCH = ["-d=60:200:200:10", "-w"]

WRONG = [
    (["-q"], "-q"),
    (["--bogus"], "--bogus"),
    (["-n=2"], "-n=2 -p=1: 1 rank was launched"),
    (["-n=-1"], "must be positive"),
    (["-d=4:6:8"], "3 numbers; the form is t:x:y:z"),
    (["-d=4:6:8:3:1"], "more than four numbers"),
    (["-d=4:0:8:3"], "'0' is not a positive number"),
    (["-d=4:-6:8:3"], "'-6' is not a positive number"),
    (["-d=4:6:8:3x"], "'3x' is not a positive number"),
    (["-d=9999999999:9999999999:8:3"], "more bytes than can be counted"),
    (["-d=4:6:8:3", "-b=1:4:8:3"], "the block does not tile what a rank has: x is 6 there, no multiple of 4"),
    (["-d=4:6:8:3", "-b=3:6:8:3"], "t is 4 there, no multiple of 3"),
    (["-d=4:6:8:3", "-b=1:12:8:3"], "x is 6 there, no multiple of 12"),
    (["-d=4:6:8:3", "-c=3:6:8:3"], "no multiple of the chunk's"),
    (["-d=4:6:8:3", "-c=1:7:8:3"], "the chunk is larger than the variable: x is 6"),
    (["-d=2:40000:40000:2", "-c=1:40000:40000:1"], "below 4 GiB"),
    (["-t=collx"], "-t=collx: the type is ind, coll or file-per-process"),
    (["-x=table"], "-x=table"),
    (["-u"], "HDF5 extends a variable by collective calls only"),
    (["-u", "-t=file-per-process"], "-u with -t=file-per-process"),
    (["-z=4"], "HDF5 writes compressed chunks by collective calls only"),
    (["-z=4", "-t=file-per-process"], "-z or --zstd with -t=file-per-process"),
    (["-z=10", "-t=coll"], "the level is 0 to 9"),
    (["--shuffle", "-t=coll"], "--shuffle needs -z"),
    (["--format=cdf5", "-c=auto"], "CDF-5 has no chunks"),
    (["--format=cdf5", "-t=coll", "-z=1"], "CDF-5 has no compression"),
    (["--format=cdf5", "-F", "-u"], "does not fill records"),
    (["--format=hdf5"], "netcdf4 or cdf5"),
    (["--type=char"], "--type=char: the type is one of int, float"),
    (["--hint=cb_nodes"], "--hint=key=value"),
    (["--iterations=0"], "--iterations=0"),
    (["--wear-out"], "needs --stonewall"),
    (["-r", "--sync"], "give -w"),
]


@pytest.mark.parametrize(
    ("arguments", "phrase"),
    [
        pytest.param(arguments, phrase, id=" ".join(arguments), marks=slow if i % 11 else ())
        for i, (arguments, phrase) in enumerate(WRONG)
    ],
)
def test_wrong_use_is_refused(engine: Engine, arguments: list[str], phrase: str) -> None:
    done = engine.call(["netcdf-bench", *arguments])
    assert done.code == 2
    assert len(done.complaints) == 1
    assert done.complaints[0].startswith("weir-io: netcdf-bench: ")
    assert phrase in done.complaints[0]
    assert done.out == ""
    assert list(engine.folder.iterdir()) == []


@pytest.mark.parametrize("arguments", [["-q"], pytest.param(["-n=3", "-p=1"], marks=slow)])
def test_wrong_use_ends_on_several_ranks(engine: Engine, arguments: list[str]) -> None:
    done = engine.call(["netcdf-bench", *arguments], ranks=2)
    assert done.code == 2
    assert len(done.complaints) == 1


@slow
def test_help_ends_on_several_ranks(engine: Engine) -> None:
    done = engine.call(["netcdf-bench", "--help"], ranks=2)
    assert done.code == 0
    for option in ("--data-geometry", "--compression_level", "--use-fill-value", "--wear-out", "--json"):
        assert done.out.count(option) == 1, option


@slow
def test_long_forms_are_options_by_another_name(engine: Engine) -> None:
    arguments = ["--nn=1", "--ppn=1", "--data-geometry=4:6:8:3", "--block-geometry=1:6:8:3"]
    arguments += ["--chunk-geometry=auto", "--write", "--read", "--io-type=c", "--unlimited"]
    arguments += ["--compression_level=2", "--testfile=data.nc", "--output-format=parser"]
    requested = good(engine, *arguments).document["requested"]
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


@pytest.mark.parametrize("access", [pytest.param(["-r", "--verify"], marks=slow), ["--verify"]])
def test_data_that_differ_fail(engine: Engine, access: list[str]) -> None:
    good(engine, "-w", *SHAPE)
    with h5py.File(engine.folder / "data.nc", "r+") as file:
        file["data"][2, 1, 0, 0] += 1
    done = bench(engine, *access, *SHAPE)
    assert done.code == 1
    assert "TEST FAILED [0]" in done.out
    assert done.document["status"] == "failed"
    assert done.result("read")["verify"]["errors"] == 1
    assert done.document["errors"][0]["call"] == "verify"
    assert_valid(done.document)


@slow
def test_a_file_that_does_not_fit_is_not_read(engine: Engine) -> None:
    good(engine, "-w", *SHAPE)
    other = bench(engine, "-r", "-d=4:6:8:2", "-f=data.nc")
    assert (other.code, other.document["results"]) == (1, [])
    assert "data is 4:6:8:3, not 4:6:8:2" in other.complaints[0]
    assert "--type=double" in bench(engine, "-r", "--type=double", *SHAPE).complaints[0]
    longer = bench(engine, "-r", "-d=5:6:8:3", "-f=data.nc")
    assert (longer.code, longer.document["results"]) == (1, [])


@slow
@pytest.mark.parametrize("arguments", [["-w", "-f=absent/data.nc"], ["-r", "-f=absent.nc"]])
@pytest.mark.parametrize("form", ["netcdf4", "cdf5"])
@pytest.mark.parametrize("ranks", [1, 2])
def test_a_file_that_cannot_be_opened(engine: Engine, arguments: list[str], form: str, ranks: int) -> None:
    done = bench(engine, f"--format={form}", *arguments, ranks=ranks)
    assert done.code == 1
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
@slow
@pytest.mark.parametrize("implementation", ["ompio", romio()])
@pytest.mark.parametrize("arguments", FULL.values(), ids=FULL.keys())
def test_no_number_for_bytes_that_are_not_there(
    engine: Engine, small_space: Path, arguments: list[str], implementation: str
) -> None:
    """Every error ends the run, also where HDF5 leaves one rank behind in a collective call."""
    requested = ["-n=1", "-p=2", *TOO_MUCH, *arguments, f"-f={small_space}/data.nc"]
    done = bench(engine, *requested, ranks=2, environment={"OMPI_MCA_io": implementation})
    assert done.code == 1
    assert "MiB/s" not in done.out
    assert done.complaints
    if done.document:  # rank 0 may be the one that is left behind
        assert (done.document["status"], done.document["results"]) == ("failed", [])
        assert done.document["errors"]


@pytest.mark.parametrize("arguments", [["-t=coll"], pytest.param(["--format=cdf5"], marks=slow)])
def test_a_full_file_system_on_one_rank(engine: Engine, small_space: Path, arguments: list[str]) -> None:
    done = bench(engine, *TOO_MUCH, *arguments, f"-f={small_space}/data.nc")
    assert done.code == 1
    assert (done.document["status"], done.document["results"]) == ("failed", [])
    assert_valid(done.document)
