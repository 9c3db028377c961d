"""Wrong use is refused by name, at once, with exit code 2, and leaves no file."""

from __future__ import annotations

import re

import pytest

from tests.engine.runs import ROOT, Engine

WRONG = [
    (["-y"], "unknown option -y"),
    (["-wy"], "unknown option -y in -wy"),
    (["--posix.odirct"], "did you mean --posix.odirect?"),
    (["--collectiv"], "did you mean --collective?"),
    (["-a", "posx"], "did you mean POSIX?"),
    (["-a", "HDF6"], "no such back end"),
    (["-O", "sumaryFile=x"], "did you mean summaryFile?"),
    (["-O", "summaryFormat=XML"], "it is default, JSON or CSV"),
    (["-O", "stoneWallingWearOut=1"], "needs a stonewall"),
    (["-t", "3m", "-b", "4m"], "multiple of the transfer size"),
    (["-t", "12", "-b", "24"], "multiple of 8"),
    (["-t", "2m", "-b", "1m"], "must not be smaller"),
    (["-t", "0"], "must be positive"),
    (["-t", "16kb"], "not a size"),
    (["-b"], "needs a value"),
    (["-b", "8t", "-s", "9000000"], "more bytes than can be counted"),
    (["-s", "0"], "at least one segment"),
    (["-i", "0"], "iterations"),
    (["-i", "two"], "not a whole number"),
    (["-z", "-t", "1m", "-b", "1m"], "nothing to shuffle"),
    (["-w", "-z", "-z", "-R"], "excludes -W and -R"),
    (["-z", "-C"], "-z with -C needs -F"),
    (["-C", "-Z"], "exclude each other"),
    (["-c"], "POSIX has no collective transfers"),
    (["-a", "MPIIO", "-c", "-z"], "same number of transfers"),
    (["-a", "MPIIO", "--posix.odirect"], "cannot open a file with O_DIRECT"),
    (["-a", "NULL", "-R", "-G", "1"], "stores nothing"),
    (["-u"], "-u needs -F"),
    (["-U", "hints"], "takes no MPI-IO hints"),
    (["-a", "MPIIO", "-U", "absent"], "cannot read the hints file absent"),
    (["-N", "3"], "1 rank was launched"),
    (["-r", "-R"], "needs -G"),
    (["-r", "-W"], "-W checks what -w wrote"),
    (["-l", "zeros"], "timestamp, offset, incompressible, random or controlled"),
    (["-o", "a@b"], "list of files"),
    (["--null.delay-us=3"], "--null.delay-us belongs to -a NULL"),
    (["-a", "NULL", "--null.fail=clsoe"], "takes open, sync, close, stat"),
    (["--posix.odirect", "-t", "1000", "-b", "1000"], "multiple of 512"),
    (["-D", "soon"], "not a number of seconds"),
    (["stray"], "'stray' is not a valid option"),
]


@pytest.mark.parametrize(
    ("arguments", "phrase"),
    [
        pytest.param(arguments, phrase, id=" ".join(arguments), marks=pytest.mark.slow if i % 13 else ())
        for i, (arguments, phrase) in enumerate(WRONG)
    ],
)
def test_wrong_use_is_refused(engine: Engine, arguments: list[str], phrase: str) -> None:
    done = engine.call(["ior", *arguments])
    assert done.code == 2
    assert len(done.complaints) == 1
    assert done.complaints[0].startswith("weir-io: ior: ")
    assert phrase in done.complaints[0]
    assert done.out == ""
    assert list(engine.folder.iterdir()) == []


# Options of IOR 4.1, HDF5, PnetCDF and NetCDF that weir-io lacks.
NOT_HERE = [
    (["ior", "--randomPrefill=4k"], "--randomPrefill"),
    (["ior", "-O", "randomPrefill=4096"], "randomPrefill"),
    (["ior", "-a", "HDF5", "--hdf5.filter=deflate"], "--hdf5.filter"),
    (["ior", "-a", "HDF5", "--hdf5.subfiling"], "--hdf5.subfiling"),
    (["ior", "-a", "PNETCDF", "--pnetcdf.nonblocking"], "--pnetcdf.nonblocking"),
    (["netcdf-bench", "--zstd=3"], "--zstd"),
    (["netcdf-bench", "--quantize=3"], "--quantize"),
]


@pytest.mark.parametrize(
    ("arguments", "name"), NOT_HERE, ids=[" ".join(arguments) for arguments, _ in NOT_HERE]
)
def test_what_is_not_here_is_refused_by_its_name(engine: Engine, arguments: list[str], name: str) -> None:
    done = engine.call(arguments)
    assert done.code == 2
    assert len(done.complaints) == 1
    assert name in done.complaints[0]
    assert list(engine.folder.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["ior", "--bogus"], ["ior", "-t", "3"], ["iro"]])
def test_wrong_use_on_several_ranks_is_said_once(engine: Engine, arguments: list[str]) -> None:
    done = engine.call(arguments, ranks=3)
    assert done.code == 2
    assert len(done.complaints) == 1


@pytest.mark.slow
def test_a_summary_file_that_cannot_be_written_is_known_before_anything_is_measured(engine: Engine) -> None:
    done = engine.call(["ior", "-w", "-k", "-o", "data", "-O", "summaryFile=absent/summary.json"])
    assert done.code == 2
    assert "absent/summary.json: No such file or directory" in done.complaints[0]
    assert list(engine.folder.iterdir()) == []


@pytest.mark.slow
def test_help_names_personalities_and_back_ends(engine: Engine) -> None:
    done = engine.call(["--help"])
    assert done.code == 0
    for word in ("ior", "MPIIO", "NULL", "POSIX"):
        assert f"\n  {word} " in done.out
    assert engine.call([]).code == 2
    assert "did you mean 'ior'?" in engine.call(["iro"]).complaints[0]


def test_help_of_ior_lists_its_back_ends_as_ior_does(engine: Engine) -> None:
    done = engine.call(["ior", "--help"], ranks=2)
    assert done.code == 0
    assert done.out.count("\n  -a API ") == 1
    back_ends = {
        file.stem.upper()
        for file in (ROOT / "src" / "engine" / "backends").glob("*.c")
        if "\nWEIR_BACKEND(" in file.read_text()
    }
    listed = re.search(r"\n  -a API .*\[([A-Z0-9|]+)\]", done.out)
    assert listed
    assert listed[1] == "|".join(sorted(back_ends))
    assert "--null.trace" in done.out


@pytest.mark.slow
def test_directives_are_options_by_another_name(engine: Engine) -> None:
    done = engine.good(
        "-a", "dummy", "-O", "writeFile=1,blockSize=64k,transferSize=8k", "-O", "REPETITIONS=2"
    )
    requested = done.document["requested"]
    assert (requested["api"], requested["block_bytes"], requested["xfer_bytes"], requested["iterations"]) == (
        "NULL",
        65536,
        8192,
        2,
    )
    assert requested["access"] == ["write"]
