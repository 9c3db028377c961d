"""The last line of `make test`, which scripts read, and the steps that feed it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs import ran, write_file

ROOT = Path(__file__).resolve().parents[3]
JUNIT = """<?xml version="1.0"?>
<testsuites><testsuite name="pytest" tests="4">
<testcase classname="tests.a" name="good"/>
<testcase classname="tests.a" name="bad"><failure message="1 is not 2&#10;more">trace</failure></testcase>
<testcase classname="tests.a" name="broken"><error message="no fixture"/></testcase>
<testcase classname="tests.a" name="elsewhere"><skipped message="slurmd is missing"/></testcase>
</testsuite></testsuites>
"""


def count(*files: Path) -> tuple[int, list[str]]:
    arguments = [sys.executable, str(ROOT / ".ci" / "count.py"), *map(str, files)]
    done = ran(arguments)
    return done.returncode, done.stdout.splitlines()


@pytest.fixture
def good(tmp_path: Path) -> Path:
    file = tmp_path / "good.tsv"
    file.write_text("passed\tlint-shell\tsee the log\npassed\ttest-theme.R colours differ\t\n")
    return file


def test_everything_passed(good: Path) -> None:
    assert count(good) == (0, ["2 passed, 0 failed, 0 skipped"])


def test_languages_add_up_and_what_did_not_pass_is_named(tmp_path: Path, good: Path) -> None:
    junit = tmp_path / "pytest.xml"
    junit.write_text(JUNIT)
    status, lines = count(junit, good)
    assert status == 1
    assert lines == [
        "skipped: tests.a::elsewhere: slurmd is missing",
        "failed: tests.a::bad: 1 is not 2",
        "failed: tests.a::broken: no fixture",
        "3 passed, 2 failed, 1 skipped",
    ]


def test_tests_of_several_machines_have_the_name_of_theirs(tmp_path: Path) -> None:
    for name in ("bookworm-root", "trixie-root"):
        write_file(tmp_path / name / "steps.tsv", "failed\tlint-r\t178 findings\n")
    status, lines = count(tmp_path / "bookworm-root/steps.tsv", tmp_path / "trixie-root/steps.tsv")
    assert status == 1
    assert lines[:2] == [f"failed: {name}: lint-r: 178 findings" for name in ("bookworm-root", "trixie-root")]


def test_no_failed_test_is_repeated() -> None:
    runner = (ROOT / ".ci" / "tests").read_text()
    for option in ("--last-failed", "--lf", "--reruns", "--failed-first"):
        assert option not in runner
    assert runner.count(".venv/bin/pytest") == 2  # one runs them, the other compiles them


@pytest.mark.parametrize("content", [None, "", "<testsuites><testsuite>", "<testsuites/>"])
def test_a_runner_without_results_has_failed(tmp_path: Path, good: Path, content: str | None) -> None:
    junit = tmp_path / "pytest.xml"
    if content is not None:
        junit.write_text(content)
    status, lines = count(junit, good)
    assert status == 1
    assert lines[0].startswith("failed: pytest.xml: the runner ")
    assert lines[-1] == "2 passed, 1 failed, 0 skipped"


def step(folder: Path, *arguments: str, code: int = 0, **extra: str) -> subprocess.CompletedProcess[str]:
    return ran(
        [str(ROOT / ".ci" / "step"), *arguments],
        cwd=folder,
        env=os.environ | {"WEIR_STEPS": str(folder / "steps.tsv")} | extra,
        code=code,
    )


def test_a_step_shows_its_output_only_when_it_fails(tmp_path: Path) -> None:
    fine = step(tmp_path, "fine", "echo", "chatter")
    assert "chatter" not in fine.stdout
    bad = step(tmp_path, "bad", "bash", "-c", "echo the reason; exit 3", code=3)
    assert "the reason" in bad.stdout
    assert count(tmp_path / "steps.tsv")[1] == [
        "failed: bad: see build/check/bad.log",
        "1 passed, 1 failed, 0 skipped",
    ]


@pytest.mark.slow
def test_a_step_tells_its_time_where_numbers_have_a_comma(tmp_path: Path) -> None:
    """Bash writes EPOCHREALTIME as the locale has it."""
    made = ["localedef", "-i", "de_DE", "-f", "UTF-8", str(tmp_path / "de_DE.UTF-8")]
    if not shutil.which("localedef") or subprocess.run(made, capture_output=True, check=False).returncode:
        pytest.skip("the sources of the locale de_DE are missing")
    german = {"LOCPATH": str(tmp_path), "LC_ALL": "de_DE.UTF-8"}
    done = step(tmp_path, "sleeps", "sleep", "1", **german)
    assert done.stderr == ""
    assert float(done.stdout.split()[1]) >= 1, "microseconds alone are less"


def test_a_step_runs_again_where_the_shell_of_the_user_keeps_files(tmp_path: Path) -> None:
    """As with BASH_ENV=~/.bashrc for modules."""
    (tmp_path / "bashrc").write_text("set -o noclobber\n")
    for _ in range(2):
        done = step(tmp_path, "fine", "true", BASH_ENV=str(tmp_path / "bashrc"))
        assert done.stderr == "", done.stdout
