"""weir-io batch: many cells in one launch, each with its own document, ranks and fate."""

import json
from pathlib import Path

import pytest

from tests.engine.cells import cells
from tests.engine.runs import Engine


def cell(folder: Path, name: str, ranks: int, *argv: object) -> str:
    place = folder / name
    place.mkdir()
    summary = [f"--json={place / 'summary.json'}"]
    return "\t".join(str(word) for word in (name, ranks, place, "ior", *argv, *summary))


def listed(folder: Path, *lines: str) -> Path:
    file = folder / "list"
    file.write_text("\n".join(lines) + "\n")
    return file


def statuses(folder: Path) -> dict[str, int]:
    lines = (line.split("\t") for line in (folder / "status").read_text().splitlines())
    return {name: int(code) for name, code, _ in lines}


def test_cells_have_their_ranks_documents_and_fates(engine: Engine, tmp_path: Path) -> None:
    data = tmp_path / "data file"  # arguments may contain spaces
    lines = listed(
        tmp_path,
        cell(tmp_path, "one", 1, "-w", "-r", "-t", "4k", "-b", "64k", "-o", data),
        "# a remark",
        "",
        cell(tmp_path, "lost", 2, "-w", "-t", "4k", "-b", "64k", "-o", tmp_path / "nowhere" / "f"),
        cell(tmp_path, "wrong", 2, "-w", "-t", "3", "-b", "64k", "-o", data),
        cell(tmp_path, "two", 2, "-w", "-a", "MPIIO", "-t", "4k", "-b", "64k", "-o", data),
    )
    done = engine.call(["batch", lines, tmp_path / "status"], ranks=2)
    assert done.code == 1
    assert statuses(tmp_path) == {"one": 0, "lost": 1, "wrong": 2, "two": 0}
    documents = {
        name: json.loads((tmp_path / name / "summary.json").read_text()) for name in ("one", "lost", "two")
    }
    assert {name: each["job"]["tasks"] for name, each in documents.items()} == {"one": 1, "lost": 2, "two": 2}
    assert {name: each["status"] for name, each in documents.items()} == {
        "one": "done",
        "lost": "failed",
        "two": "done",
    }
    assert documents["one"]["command_line"][0] == "ior"
    assert "nowhere" in (tmp_path / "lost" / "stderr.txt").read_text()
    assert "access    bw(MiB/s)" in (tmp_path / "two" / "stdout.txt").read_text()
    assert "access" not in done.out


def test_one_rank_runs_a_list(engine: Engine, tmp_path: Path) -> None:
    lines = listed(tmp_path, *(cell(tmp_path, f"c{i}", 1, "-a", "NULL", "-w", "-o", "x") for i in range(20)))
    done = engine.call(["batch", lines, tmp_path / "status"])
    assert done.code == 0
    assert list(statuses(tmp_path)) == [f"c{i}" for i in range(20)]


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("a\t1\t/tmp", "line 1: 3 fields, but a cell has name, ranks, folder, personality, options"),
        ("a\t2\t/tmp\tior", "line 1: a cell of this job can have 1 to 1 ranks"),
        ("a\tx\t/tmp\tior", "line 1: a cell of this job can have 1 to 1 ranks"),
        ("a\t1\t/tmp\tiro", "line 1: 'iro' is not a valid personality of a cell"),
        ("a\t1\t/tmp\tbatch", "line 1: 'batch' is not a valid personality of a cell"),
        ("# nothing", "the list holds no cell"),
    ],
)
def test_a_wrong_list_is_refused_before_anything_runs(
    engine: Engine, tmp_path: Path, line: str, printed: str
) -> None:
    done = engine.call(["batch", listed(tmp_path, line), tmp_path / "status"])
    assert done.code == 2
    assert done.complaints == [f"weir-io: batch: {printed}"]
    assert not (tmp_path / "status").exists()


def test_missing_files_are_named(engine: Engine, tmp_path: Path) -> None:
    done = engine.call(["batch", tmp_path / "none", tmp_path / "status"])
    assert done.code == 2
    assert done.complaints == [f"weir-io: batch: {tmp_path / 'none'}: No such file or directory"]
    assert engine.call(["batch"]).complaints == ["weir-io: batch: takes two arguments, LIST and STATUS"]


def test_a_cell_whose_output_cannot_be_kept_does_not_run(engine: Engine, tmp_path: Path) -> None:
    lines = listed(
        tmp_path,
        cell(tmp_path, "kept", 1, "-a", "NULL", "-w", "-o", "x"),
        cell(tmp_path, "lost", 1, "-a", "NULL", "-w", "-o", "x"),
    )
    (tmp_path / "lost").rmdir()
    done = engine.call(["batch", lines, tmp_path / "status"])
    assert done.code == 1
    assert statuses(tmp_path) == {"kept": 0, "lost": 2}
    assert f"{tmp_path / 'lost'}/stdout.txt: No such file or directory" in done.complaints[0]
    assert "access" not in done.out


def test_the_data_of_each_shape_is_sampled(engine: Engine) -> None:
    """Once a launch: a later cell of a shape has the sample of the first one, another shape its own."""
    kinds = (["-l=random"], ["-l=timestamp"], ["-l=random"], ["-l=random", "--zipf=1.5"])
    shape = ["ior", "-w", "-t", "64k", "-b", "1m", "-o", engine.folder / "f"]
    runs = cells(engine, 2, *([*shape, *kind] for kind in kinds))
    assert [run.code for run in runs] == [0] * len(kinds)
    samples = [run.result("write")["observed"]["payload"] for run in runs]
    assert samples[0] == samples[2]
    assert samples[0]["compressed_share"] > 0.9 > 0.5 > samples[1]["compressed_share"]
    assert samples[0]["unique_share"] == 1 > 0.9 > samples[3]["unique_share"]  # few offsets, many times
