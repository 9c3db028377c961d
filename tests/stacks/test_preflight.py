"""What is checked before the first byte sees programs as the stack would start them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.stacks.conftest import Compile
from weir.measure.preflight import check_program, check_ranks
from weir.terms.model import Stack

# A fake of weir-io: reports one rank, in the file of its option.
SAYS_ONE_RANK = """\
for word in "$@"; do
    case $word in --json=*) echo '{"job": {"ranks_per_host": [1]}}' >"${word#--json=}" ;; esac
done
"""


def script(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{text}")
    file.chmod(0o755)
    return file


def stack_of(folder: Path, *arguments: str) -> Stack:
    return Stack("mine", {"ior": arguments}, environment={"PATH": f"{folder}:/usr/bin:/bin"})


def test_a_program_by_its_name_is_looked_for_on_the_path_of_the_stack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = script(tmp_path / "elsewhere" / "bench", "")
    monkeypatch.setenv("PATH", f"{elsewhere.parent}:/usr/bin:/bin")
    stack = stack_of(tmp_path / "stack", "bench")
    missing = check_program("ior", stack)
    assert missing.problem == "bench is not there or not executable"
    assert "on the PATH of stack mine" in missing.hint
    program = script(tmp_path / "stack" / "bench", "")
    assert check_program("ior", stack).found == str(program)


def test_a_library_that_the_loader_does_not_find_is_known_before_the_first_run(
    compile_c: Compile, tmp_path: Path
) -> None:
    gone = compile_c("libmylib.so.1", "int nothing;\n")
    program = compile_c("ior", "int main(void) { return 0; }\n", gone)
    elsewhere = tmp_path / "elsewhere" / gone.name
    elsewhere.parent.mkdir()
    gone.rename(elsewhere)
    stack = stack_of(tmp_path, "ior")
    check = check_program("ior", stack)
    assert check.problem == f"{program} needs libmylib.so.1, which the loader does not find"
    assert check.hint == "name its folder as LD_LIBRARY_PATH in the environment of stack mine"
    folders = {"LD_LIBRARY_PATH": str(elsewhere.parent)}
    found = check_program("ior", replace(stack, environment={**stack.environment, **folders}))
    assert (found.problem, found.found) == (None, str(program))
    without_ldd = replace(stack, environment={"PATH": str(tmp_path)})
    assert check_program("ior", without_ldd).problem is None


def test_ranks_in_a_container_that_do_not_find_each_other_stop_the_batch(tmp_path: Path) -> None:
    # hydra -n 2 -ppn 2 exec.sh IMAGE weir-io ior ...: the wrapper must be part of what is started.
    script(tmp_path / "mpiexec.hydra", 'shift 4\nexec "$@"\n')
    script(tmp_path / "weir-io", SAYS_ONE_RANK)
    wrapper = script(tmp_path / "exec.sh", '[ "$1" = image.sif ] || exit 1\nshift\nexec "$@"\n')
    check = check_ranks(1, 2, stack_of(tmp_path, str(wrapper), "image.sif", "weir-io", "ior"), "hydra")
    assert check.problem == "requested 1 x 2 ranks, 1 started"


def test_of_a_stack_without_weir_io_the_launcher_is_tried(tmp_path: Path) -> None:
    script(tmp_path / "mpiexec.hydra", '[ "$*" = "-n 2 -ppn 2 true" ]\n')
    check = check_ranks(1, 2, stack_of(tmp_path, "ior"), "hydra")
    assert check.found == "1 x 2 started; no program of the stack can tell where"
    assert check.problem is None
