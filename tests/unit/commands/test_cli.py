"""weir/cli.py and weir plan: exit codes, messages, help."""

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import weir.commands.plan
from tests.checkout import ROOT, make_checkout
from tests.programs import ran, replace_in, write_file
from tests.unit.conftest import RunWeir
from weir import cli
from weir.base.errors import WeirError
from weir.plan import read_plan

IOR_SUITE = """\
suite: mine
question: How fast is it?
experiments:
  sizes: {tool: ior, nodes: [1], ppn: [1], space: {xfer: [16 KiB, 1 MiB]}, fixed: {block: 16 MiB}}
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    site = (
        "site: here\ndescription: A site\npartitions:\n"
        "  node: {nodes: 1, cores_per_node: 2, launcher: mpirun, scheduler: local, stacks: [plain]}\n"
        "stacks: {plain: {programs: {ior: [ior]}}}\n"
    )
    for variable in ("WEIR_SITE", "WEIR_SUITES", "WEIR_TARGETS", "WEIR_STACKS", "WEIR_SCALE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(make_checkout(tmp_path, {"mine": IOR_SUITE}, site))
    return tmp_path


def test_plan_prints_the_card_and_writes_the_plan(checkout: Path, run_weir: RunWeir) -> None:
    printed = run_weir("plan", "--target", "disk", "--out", "results/plan.json").out
    assert "cells         2 (2 combinations" in printed
    assert len(read_plan(checkout / "results" / "plan.json").cells) == 2


def test_the_plan_is_whole_when_the_reader_of_the_card_has_gone(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in `weir plan --out FILE | head -1`."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", buffering=1) as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        assert cli.main(["plan", "--target", "disk", "--out", "plan.json"]) == 1
    assert len(read_plan(checkout / "plan.json").cells) == 2


def ended(command: Sequence[str | Path], **environment: str) -> tuple[int, str, str]:
    """Exit code and what was printed by a process that finds weir."""
    known = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    done = ran(command, env=known)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.quick
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_end_no_command(checkout: Path, closed: str) -> None:
    """Nor does a file that it opens take their numbers, to which programs of it print."""
    script = f'"$@" --out plan.json {closed}'
    command = ["sh", "-c", script, "sh", sys.executable, "-m", "weir", "plan", "--target", "disk"]
    code, _, error = ended(command)
    assert (code, error) == (0, "")
    assert len(read_plan(checkout / "plan.json").cells) == 2


@pytest.mark.slow
@pytest.mark.quick
def test_a_terminal_without_a_character_ends_no_command(checkout: Path) -> None:
    """As with LC_ALL=en_US, which is Latin 1: an exit code 1 of Python would mean "slower" to some verbs."""
    replace_in(checkout / "config/sites/here/targets/disk.yaml", "A directory", "Läufe – beide")
    command = [sys.executable, "-m", "weir", "plan", "--target", "disk"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "latin-1"}
    done = ran(command, cwd=checkout, env=environment, encoding="latin-1", code=0)
    assert done.stderr == ""
    assert "disk: Läufe \\u2013 beide" in done.stdout


@pytest.mark.slow
@pytest.mark.quick
def test_python_without_docstrings_is_refused_before_anything_is_measured() -> None:
    command = [sys.executable, "-m", "weir", "audit", "--rules"]
    code, printed, error = ended(command, PYTHONOPTIMIZE="2")
    assert (code, printed) == (2, "")
    assert "unset PYTHONOPTIMIZE" in error


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "content", "why"),
    [
        ("jsonschema.py", "", "module 'jsonschema' has no attribute"),
        ("rpds/__init__.py", "from .rpds import *", "No module named 'rpds.rpds'"),
        ("yaml.py", "from sys import unknown", "cannot import name 'unknown'"),
    ],
    ids=["older", "of another Python", "broken"],
)
def test_a_package_on_pythonpath_that_cannot_be_used_is_named(
    checkout: Path, tmp_path: Path, module: str, content: str, why: str
) -> None:
    """As modules of a centre put them there: they come before those of weir's environment.

    A verb that cannot be read might be one whose 1 is an answer: it ends with 3.
    """
    folder = tmp_path / "module"
    write_file(folder / module, content)
    command = [sys.executable, "-m", "weir", "plan"]
    code, printed, error = ended(command, PYTHONPATH=f"{folder}{os.pathsep}{ROOT}")
    assert (code, printed) == (3 if module == "yaml.py" else 1, "")
    package = Path(module).parts[0].removesuffix(".py")
    assert f"{package} of {folder} cannot be used: {why}" in error
    assert "unset PYTHONPATH" in error
    assert "Traceback" not in error


def test_plan_prints_json_and_nothing_else(checkout: Path, run_weir: RunWeir) -> None:
    assert json.loads(run_weir("plan", "--json").out)["cost"]["cells"] == 2


def test_a_tilde_that_no_shell_replaced_is_the_home(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shells leave --out=~/plan.json, and a directory of that name is a trap: `rm -r ~` empties the home."""
    monkeypatch.setenv("HOME", str(checkout / "home"))
    (checkout / "home").mkdir()
    assert cli.main(["plan", "--out=~/plan.json"]) == 0
    assert (checkout / "home/plan.json").is_file()
    assert not (checkout / "~").exists()


def test_wrong_files_end_with_2_and_messages(checkout: Path, run_weir: RunWeir) -> None:
    printed = run_weir("plan", "--suite", "mien", "--target", "dsk", code=2)
    assert printed.out == ""
    assert printed.err == "weir: config/suites: there is no suite 'mien'\n    did you mean 'mine'?\n" + (
        "weir: requested targets: site here has no target 'dsk'\n    did you mean 'disk'?\n"
    )


def test_messages_as_json(checkout: Path, run_weir: RunWeir) -> None:
    errors = json.loads(run_weir("plan", "--suite", "mien", "--json", code=2).err)["errors"]
    assert errors == [
        {"message": "there is no suite 'mien'", "file": "config/suites", "hint": "did you mean 'mine'?"}
    ]


def test_a_plan_without_cells_ends_with_1(checkout: Path, run_weir: RunWeir) -> None:
    replace_in(checkout / "config/suites/mine.yaml", "ppn: [1]", "ppn: [4]")
    printed = run_weir("plan", "--out", "plan.json", code=1)
    assert "needs more than the 2 processes per node" in printed.out
    assert "nothing is left to measure" in printed.err
    assert not (checkout / "plan.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message", "usage"),
    [
        ("", "weir: .*required: COMMAND", "see: weir --help"),
        ("plna", "weir: there is no 'plna'; did you mean 'plan'", "see: weir --help"),
        ("plan --sweet", "weir plan: unrecognized arguments: --sweet", "usage: weir plan"),
        ("plan --sute quick", "weir plan: .*did you mean '--suite'", "usage: weir plan .*--suite SUITE"),
        ("history check h --jnuit x", "weir history check: .*'--junit'", "usage: weir history check"),
        ("compare a b --failon=slower", "weir compare: .*'--fail-on'", "usage: weir compare"),
        ("plan --zzz", "weir plan: unrecognized arguments: --zzz$", "usage: weir plan"),
        ("accept", "weir accept: .*required", "usage: weir accept"),
    ],
)
def test_wrong_use_ends_with_2_a_suggestion_and_the_usage_of_its_own_verb(
    arguments: str, message: str, usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments.split())
    assert caught.value.code == 2
    first, *rest = capsys.readouterr().err.splitlines()
    assert re.search(message, first)
    assert re.search(usage, " ".join(rest))
    assert rest[-1].strip().startswith("see: weir ")


def test_the_help_has_each_verb_once_in_a_group(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    printed = capsys.readouterr().out
    for title in cli.GROUPS.values():
        assert f"\n{title}:\n" in printed
    for name in cli.commands():
        assert len(re.findall(rf"(?m)^  {name} ", printed)) == 1


@pytest.mark.parametrize(
    ("raised", "code", "printed"),
    [
        (WeirError("it broke", hint="do this"), 1, "weir: it broke\n    do this\n"),
        (WeirError("wrong use", exit_code=2), 2, "weir: wrong use\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_errors_become_messages(
    raised: BaseException, code: int, printed: str, monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir
) -> None:
    def execute(args: argparse.Namespace) -> int:
        raise raised

    monkeypatch.setattr(weir.commands.plan, "execute", execute)
    assert run_weir("plan", code=code).err == printed


def test_the_verbs_that_scripts_rely_on() -> None:
    assert {"plan", "run", "collect", "import", "audit"} <= cli.commands().keys()


@pytest.mark.parametrize("name", cli.commands())
def test_every_command_has_help_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main([name, "--help"])
    assert caught.value.code == 0
    help_text = capsys.readouterr().out
    assert f"example: weir {name} " in help_text
    assert "--json" in help_text


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_error(checkout: Path) -> None:
    options = f"'{sys.executable}' -m weir.cli plan --json | head -c 1"
    assert ended(["bash", "-c", options]) == (0, "{", "")


@pytest.mark.parametrize("module", ["signal", "weir.base.errors", "weir.commands.plan"])
def test_an_interrupt_while_the_program_is_read_ends_it_without_a_traceback(module: str) -> None:
    program = (
        "import os, sys\n"
        "class Interrupts:\n"
        "    def find_spec(name, *_):\n"
        f"        if name == {module!r}:\n"
        "            os.kill(os.getpid(), 2)\n"
        "sys.meta_path.insert(0, Interrupts)\n"
        "sys.modules.pop('signal', None)\n"
        "from weir.__main__ import main\n"
        "sys.argv = ['weir', 'plan']\n"
        "sys.exit(main())\n"
    )
    assert ended(["env", "--default-signal=INT", sys.executable, "-c", program]) == (130, "", "")


def test_a_log_can_be_read_without_proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On another system than Linux, or in a chroot: no path is looked at by a process of its own."""
    log = ROOT / "tests/golden/ior/ior-posix-shared.txt"
    monkeypatch.delattr("weir.cli.in_time")
    monkeypatch.setattr("weir.cli._PROCESS", tmp_path / "none")
    table = tmp_path / "records.csv"
    assert cli.main(["import", str(log), "--out", str(table)]) == 0
    assert "UNPROVEN" in table.read_text()
