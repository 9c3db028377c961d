"""A step of the workflow leaves no temporary file, however it ends."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs import ran
from tests.workflow.processes import until
from weir.base.processes import EXIT_INTERRUPTED, children_of, is_the_same, started
from weir.workflow.step import progress
from weir.workflow.takeover import take_over_from_a_killed_workflow

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[3]
STEP = ("-c", "import sys; from weir.workflow.step import main; sys.exit(main(sys.argv[1:], tell_s=0.5))")
# Leaves a file, as R does after TERM, and a process in the background.
PROGRAM = 'touch "$TMPDIR/left"; sleep 600 & echo "$TMPDIR $!"; wait; sleep 600'


def step(folder: Path, *command: str, stderr: int | None = None, **environment: str) -> subprocess.Popen[str]:
    (folder / "temporary").mkdir(exist_ok=True)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    clean |= {"PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "temporary"), **environment}
    program = ["env", "--default-signal", sys.executable, *STEP, "--log", "log", *command]
    return subprocess.Popen(program, cwd=folder, env=clean, stderr=stderr, text=True)


def line(folder: Path) -> str:
    """What the program printed first, in the log of the step."""
    log = folder / "log"
    assert until(lambda: log.is_file() and log.read_text().endswith("\n")), "the program printed nothing"
    return log.read_text().rstrip("\n")


def ends(pid: int) -> bool:
    """Whether the process ends by itself."""
    ticks = started(pid)
    return ticks is None or until(lambda: not is_the_same(pid, ticks))


def left(folder: Path) -> list[Path]:
    return [*(folder / "temporary").iterdir(), *(folder / ".snakemake").glob("*/*")]


def test_its_exit_code_is_that_of_the_command(tmp_path: Path) -> None:
    with step(tmp_path, "sh", "-c", 'touch "$TMPDIR/left"; exit 7') as process:
        assert process.wait(60) == 7
    assert left(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_ends_all_of_it(tmp_path: Path, number: signal.Signals) -> None:
    with step(tmp_path, "sh", "-c", PROGRAM) as process:
        temporary, background = line(tmp_path).rsplit(" ", 1)
        assert Path(temporary, "left").exists()
        process.send_signal(number)
        assert process.wait(60) == EXIT_INTERRUPTED
    assert ends(int(background))
    assert left(tmp_path) == []


def test_it_ends_with_the_workflow(tmp_path: Path) -> None:
    with (
        subprocess.Popen(["sleep", "600"]) as workflow,
        step(tmp_path, "sh", "-c", PROGRAM, WEIR_STARTER_PROCESS=str(workflow.pid)) as process,
    ):
        line(tmp_path)
        workflow.kill()
        workflow.wait()
        assert process.wait(60) == EXIT_INTERRUPTED
    assert left(tmp_path) == []


def test_what_a_kill_leaves_the_next_workflow_removes(tmp_path: Path) -> None:
    with step(tmp_path, "sh", "-c", 'echo "$TMPDIR"; exec sleep 600') as process:
        temporary = Path(line(tmp_path))
        (program,) = children_of(process.pid)
        process.kill()
        process.wait()
    assert ends(program)
    assert temporary.is_dir()
    take_over_from_a_killed_workflow(tmp_path / ".snakemake")
    assert not temporary.exists()


def test_it_tells_how_far_it_is(tmp_path: Path) -> None:
    """Figures take a minute, in which nothing was printed."""
    program = 'echo "to draw: 4 parts"; echo "drawn: figure best"; sleep 2'
    with step(tmp_path, "sh", "-c", program, stderr=subprocess.PIPE) as process:
        told = process.communicate(timeout=60)[1]
    assert re.search(r"^log: 1 of 4 parts, about .* left$", told, re.MULTILINE)


def test_a_closed_terminal_and_a_log_that_is_gone_end_nothing(tmp_path: Path) -> None:
    with step(tmp_path, "sh", "-c", "rm log; sleep 2; exit 7", stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        process.stderr.close()
        assert process.wait(60) == 7
    assert left(tmp_path) == []


def test_without_a_log_the_output_is_where_it_was(tmp_path: Path) -> None:
    """The rules of an older checkout redirect it themselves."""
    command = [sys.executable, "-m", "weir.workflow.step", "sh", "-c", "echo printed; exit 7"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = ran(command, cwd=tmp_path, env=environment)
    assert (done.returncode, done.stdout) == (7, "printed\n")
    assert [file.name for file in tmp_path.iterdir()] in ([], [".snakemake"])


def test_a_program_that_is_missing_is_told_in_the_log(tmp_path: Path) -> None:
    with step(tmp_path, "no-such-program") as process:
        assert process.wait(60) == 1
    assert "no-such-program" in (tmp_path / "log").read_text()


def test_a_log_without_counts_tells_the_time_that_passed() -> None:
    assert progress("Latexmk: All targets are up-to-date", 20.2) == "20 s"
    assert progress("to draw: 4 parts\n", 20.2) == "20 s"
    assert progress("to draw: 2 parts\ndrawn: numbers\ndrawn: figure a\n", 20) == "20 s"
    assert progress("to draw: 4 parts\ndrawn: numbers\ndrawn: figure a\n", 20) == (
        "2 of 4 parts, about 20 s left"
    )
