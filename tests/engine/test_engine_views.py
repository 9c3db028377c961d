"""File views of MPI-IO: the bytes of POSIX at the same offsets, by one call for many pieces of the file."""

from pathlib import Path

import pytest

from tests.engine.cells import cells
from tests.engine.runs import Engine, romio

RANKS = 4
NAMES = ("blocks", "interleaved", "nested", "subarray")
TRANSFERS, SEGMENTS = 24, 3
SHAPE = ["-t", "1k", "-b", f"{TRANSFERS}k", "-s", str(SEGMENTS), "-G", "7", "-l", "random", "-w", "-k"]
VIEW = ["-a", "MPIIO", "--mpiio.useFileView", "-r", "-R", "-W"]


@pytest.mark.parametrize("library", ["ompio", romio()])
def test_the_bytes_are_those_of_posix(engine: Engine, library: str) -> None:
    kinds = {f"posix-{name}": [f"--distribution={name}", *SHAPE] for name in NAMES}
    for name in NAMES:
        kinds[f"alone-{name}"] = [f"--distribution={name}", *VIEW, *SHAPE]
        kinds[f"together-{name}"] = [f"--distribution={name}", *VIEW, "-c", *SHAPE]
    many = SEGMENTS * TRANSFERS
    kinds["segments"] = ["-t", "1k", "-b", "1k", "-s", str(many), "-G", "7", "-l", "random", "-w", "-k"]
    lists = [["ior", *arguments, "-o", "CELL/data"] for arguments in kinds.values()]
    runs = cells(engine, RANKS, *lists, environment={"OMPI_MCA_io": library})
    assert [run.code for run in runs] == [0] * len(kinds), [run.err for run in runs]
    files = {name: (run.folder / "data").read_bytes() for name, run in zip(kinds, runs, strict=True)}
    for name in NAMES:
        assert files[f"alone-{name}"] == files[f"together-{name}"] == files[f"posix-{name}"]
    assert files["segments"] == files["posix-interleaved"], (
        "interleaved is IOR's -s with blocks of one transfer"
    )
    assert len({files[f"posix-{name}"] for name in NAMES}) == len(NAMES)
    assert {len(data) for data in files.values()} == {1024 * TRANSFERS * SEGMENTS * RANKS}


def test_one_call_moves_a_block_and_wrong_bytes_are_found(engine: Engine, tmp_path: Path) -> None:
    data = tmp_path / "data"
    arguments = ["--distribution=subarray", "-c", *VIEW, *SHAPE, "-o", data]
    write = engine.good(*arguments, ranks=RANKS).result("write")
    assert write["operations"] == RANKS * SEGMENTS
    assert write["moved_bytes"] == data.stat().st_size
    with data.open("r+b") as file:
        file.seek(5 * 1024)
        file.write(b"wrong")
    arguments = [word for word in arguments if word not in ("-w", "-W")]
    done = engine.failed(*arguments, ranks=RANKS)
    assert done.result("read")["verify"]["first_error"]["offset"] == 5 * 1024
