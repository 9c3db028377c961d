import json
import os
import signal
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.programs import write_file, write_program
from tests.unit.measure.alone import on_the_path, run_missing, small_batch
from weir.measure import launch as launch_module
from weir.measure.clean_up.remains import settle
from weir.measure.launch import after, end_of, read_status
from weir.measure.ranks import check_ranks
from weir.measure.session import PlannedBatch
from weir.records.model import Stack
from weir.runs.files import read_run_file, run_folder
from weir.tools.engine import engine_of

# Stands for a container: notes what it is to start, and does it as weir-io would.
CONTAINER = """#!/bin/bash
printf '%s\\n' "$*" >>"$NOTES"
summary=${*: -1}
[ "$3" = batch ] || { printf '{"job": {"ranks_per_host": [1]}}' >"${summary#*=}"; exit; }
while IFS=$'\\t' read -r name ranks outputs arguments; do
    [ "${arguments%%$'\\t'*}" = ior ] || exit 9
    : >"$outputs/stdout.txt"
    printf '{}' >"$outputs/summary.json"
    printf '%s\\t0\\t0.1\\n' "$name" >>"$5"
done <"$4"
"""


@pytest.mark.parametrize(
    ("program", "engine"),
    [
        ("/x/weir-io ior", "/x/weir-io"),
        ("exec.sh weir-io image.sif weir-io ior", "exec.sh weir-io image.sif weir-io"),
        ("ior", ""),
        ("weir-io", ""),
    ],
)
def test_the_engine_is_what_stands_before_its_personality(program: str, engine: str) -> None:
    assert engine_of(program.split()) == tuple(engine.split())


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PlannedBatch:
    """Two cells of two rounds, by the container above."""
    container = write_program(tmp_path / "exec.sh", CONTAINER)
    srun = f'#!/bin/sh\nwhile [ "$1" != {container} ]; do shift; done\nexec "$@"\n'
    on_the_path(tmp_path, monkeypatch, srun=srun)
    program = (str(container), "image", "weir-io", "ior")
    stack = Stack("st", {"ior": program}, environment={"NOTES": f"{tmp_path}/notes"})
    return small_batch(tmp_path, stack, rounds=2)


def test_a_launcher_that_hangs_after_its_last_cell_is_ended_and_its_cells_have_run(
    tmp_path: Path, job: PlannedBatch, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(launch_module, "LAUNCH_ENDS_S", 0.3)
    container = tmp_path / "exec.sh"
    hangs = '[ "$3" != batch ] || exec sleep 600\n'
    container.write_text(CONTAINER + hangs)
    assert run_missing(job).done == 4
    assert "did not end within 0.3 s after its last cell: it was ended" in capsys.readouterr().err


def test_cells_in_a_container_share_a_launch_and_its_ranks_are_looked_at(
    tmp_path: Path, job: PlannedBatch
) -> None:
    assert check_ranks(1, 1, job.stack, "srun").problem is None
    result = run_missing(job)
    assert (result.done, result.failed) == (4, [])
    looked, measured = (tmp_path / "notes").read_text().splitlines()
    assert looked.startswith("image weir-io ior -a NULL")
    assert measured == "image weir-io batch list status"
    for cell in job.cells:
        document = read_run_file(job.results, cell.cell, 0)
        assert {"throttled_periods", "swapped_pages", "pressure"} <= document["host"].keys()


def test_cells_keep_their_order_though_the_clock_of_their_files_is_set(
    tmp_path: Path, job: PlannedBatch
) -> None:
    """Each cell ended, by the times of its files, ten minutes before the one that went before it."""
    container = tmp_path / "exec.sh"
    stepping = 'touch -d "@$((2000000000 - 600 * ++ended))" "$outputs/stdout.txt"; sleep 0.01'
    container.write_text(CONTAINER.replace(": >", f': >"$outputs/stdout.txt"; {stepping}; : >>'))
    result = run_missing(job)
    assert result.done == 4
    lines = [json.loads(line) for line in (job.results / "ledger.jsonl").read_text().splitlines()]
    documents = [read_run_file(job.results, line["cell"], line["run"]) or {} for line in lines]
    ends = [datetime.fromisoformat(one["ended"]) for one in documents]
    assert ends == sorted(ends)
    assert (ends[-1] - ends[0]).total_seconds() < 60
    assert abs((ends[-1] - datetime.now(UTC)).total_seconds()) < 60


def test_cells_of_a_killed_launch_keep_their_order_too(tmp_path: Path) -> None:
    results, folder = launch(tmp_path, "aa-000\t0\t1.5\nbb-000\t0\t0.5\n")
    os.utime(run_folder(results, "bb", 0) / "stdout.txt", (1e9, 1e9))
    settle(folder, results)
    first, second = (read_run_file(results, name, 0) or {} for name in ("aa", "bb"))
    assert datetime.fromisoformat(first["ended"]) < datetime.fromisoformat(second["ended"])


def test_after_an_interrupt_what_has_run_is_kept_and_judging_it_waits_for_collect(
    tmp_path: Path, job: PlannedBatch
) -> None:
    """Some hundred runs of a launch take longer to be judged than an interrupt may."""
    waits = CONTAINER.replace("done <", '[ "$name" != "$(sed -n 2p "$4" | cut -f 1)" ] || break\ndone <')
    (tmp_path / "exec.sh").write_text(f"{waits}kill -INT $PPID\nexec sleep 600\n")
    judged: list[Path] = []

    def judge(folder: Path, document: Mapping[str, Any]) -> None:
        judged.append(folder)

    signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        run_missing(job, judge=judge)
    documents = [read_run_file(job.results, cell.cell, number) for cell in job.cells for number in (0, 1)]
    assert [one["status"] for one in documents if one] == ["done"] * 2
    assert judged == []


def launch(tmp_path: Path, status: str) -> tuple[Path, Path]:
    """The folder of a launch of two cells whose harness is gone."""
    results, folder = tmp_path / "results", tmp_path / "launch"
    folder.mkdir()
    known = {}
    for name in ("aa", "bb"):
        outputs = run_folder(results, name, 0)
        write_file(outputs / "stdout.txt", "table")
        (outputs / "summary.json").write_text("{}")
        known[f"{name}-000"] = {
            "schema": 1,
            "cell": {"cell": name, "rounds": 1},
            "run": 0,
            "host": {"cores": 2},
        }
    (folder / "launch.json").write_text(json.dumps(known))
    (folder / "status").write_text(status)
    return results, folder


@pytest.mark.row("a damaged or truncated status file")
def test_whole_lines_count_and_half_ones_do_not(tmp_path: Path) -> None:
    file = tmp_path / "status"
    file.write_text("aa-000\t0\t1.5\ncc-000\t0\tnan\ndd-000\t0\t1e999\nee-000\t0\t-1\nbb-000\t0\t0.")
    assert [(line.name, line.exit_code, line.elapsed_s) for line in read_status(file)] == [("aa-000", 0, 1.5)]
    assert read_status(tmp_path / "none") == []


def test_what_ended_before_the_kill_gets_its_run_file(tmp_path: Path) -> None:
    results, folder = launch(tmp_path, "aa-000\t0\t1.5\n")
    settle(folder, results)
    document = read_run_file(results, "aa", 0)
    assert (document["status"], document["elapsed_s"], document["outputs"]) == (
        "done",
        1.5,
        {"stdout": "stdout.txt", "summary": "summary.json"},
    )
    assert read_run_file(results, "bb", 0) is None
    assert not folder.exists()


def test_a_failed_cell_keeps_the_first_words_of_its_complaint(tmp_path: Path) -> None:
    results, folder = launch(tmp_path, "bb-000\t1\t0.1\n")
    outputs = run_folder(results, "bb", 0)
    (outputs / "stderr.txt").write_text("----\nweir-io: rank 0: no space\nmore\n")
    (line,) = read_status(folder / "status")
    end = end_of(line, outputs)
    document = after(json.loads((folder / "launch.json").read_text())["bb-000"], end, outputs)
    assert (document["status"], document["error"]) == ("failed", "exit code 1: weir-io: rank 0: no space")


def test_a_launch_that_never_began_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "launch"
    write_file(folder / "list", "")
    settle(folder, tmp_path)
    assert not folder.exists()
    settle(folder, tmp_path)


def test_a_run_file_has_what_held_its_cell_back(job: PlannedBatch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch_module, "held_between", lambda before, after: {"throttled_periods": 31})
    run_missing(job)
    hosts = [(read_run_file(job.results, cell.cell, 0) or {})["host"] for cell in job.cells]
    assert [host["throttled_periods"] for host in hosts] == [31, 31]
    assert all(host["cores"] for host in hosts)


def test_of_a_killed_launch_a_cell_that_failed_is_measured_again(tmp_path: Path) -> None:
    """Whether the machine failed it, nobody knows any more."""
    results, folder = launch(tmp_path, "aa-000\t0\t0.5\nbb-000\t1\t0.5\n")
    settle(folder, results)
    assert read_run_file(results, "aa", 0) is not None
    assert read_run_file(results, "bb", 0) is None
