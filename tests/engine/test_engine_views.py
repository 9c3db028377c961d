"""File views of MPI-IO: the bytes of POSIX at the same offsets, by one call for many pieces of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.runs import Engine, romio

RANKS = 4
NAMES = ("blocks", "interleaved", "nested", "subarray")
TRANSFERS, SEGMENTS = 24, 3
SHAPE = ["-t", "1k", "-b", f"{TRANSFERS}k", "-s", str(SEGMENTS), "-G", "7", "-l", "random", "-w", "-k"]
VIEW = ["-a", "MPIIO", "--mpiio.useFileView", "-r", "-R", "-W"]


def summaries(engine: Engine, folder: Path, cells: dict[str, list[str]], *launch: str) -> None:
    """All cells of one launch; each finds its document and data in a folder of its name."""
    lines = []
    for name, arguments in cells.items():
        (folder / name).mkdir()
        end = ["-o", str(folder / name / "data"), f"--json={folder / name / 'summary.json'}"]
        lines.append("\t".join([name, str(RANKS), str(folder / name), "ior", *arguments, *end]))
    (folder / "list").write_text("\n".join(lines) + "\n")
    environment = {f"OMPI_MCA_{word.split('=')[0]}": word.split("=")[1] for word in launch}
    done = engine.call(["batch", folder / "list", folder / "status"], RANKS, environment)
    assert done.code == 0, done.err + (folder / "status").read_text()


@pytest.mark.parametrize("library", ["ompio", romio()])
def test_the_bytes_are_those_of_posix(engine: Engine, tmp_path: Path, library: str) -> None:
    cells = {f"posix-{name}": [f"--distribution={name}", *SHAPE] for name in NAMES}
    for name in NAMES:
        cells[f"alone-{name}"] = [f"--distribution={name}", *VIEW, *SHAPE]
        cells[f"together-{name}"] = [f"--distribution={name}", *VIEW, "-c", *SHAPE]
    many = SEGMENTS * TRANSFERS
    cells["segments"] = ["-t", "1k", "-b", "1k", "-s", str(many), "-G", "7", "-l", "random", "-w", "-k"]
    summaries(engine, tmp_path, cells, f"io={library}")
    files = {name: (tmp_path / name / "data").read_bytes() for name in cells}
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
    done = engine.ior(*arguments, ranks=RANKS)
    assert done.code == 1
    assert done.result("read")["verify"]["first_error"]["offset"] == 5 * 1024


@pytest.mark.parametrize(
    ("arguments", "phrase"),
    [
        (["--mpiio.useFileView"], "POSIX has no file views"),
        (["--mpiio.useFileView", "-a", "MPIIO", "-D", "1"], "excludes -F, -z, -D"),
        (["--distribution=rows"], "blocks, interleaved, nested or subarray"),
        (["--distribution=nested", "-F"], "for shared files"),
        (["--distribution=nested", "-a", "PNETCDF"], "takes blocks only"),
    ],
)
def test_wrong_use_is_refused(engine: Engine, arguments: list[str], phrase: str) -> None:
    done = engine.call(["ior", *arguments])
    assert done.code == 2
    assert phrase in done.complaints[0]
