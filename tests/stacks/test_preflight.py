"""What is checked before the first byte sees programs as the stack would start them."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.programs import write_program
from tests.stacks.conftest import Compile
from weir.measure.preflight import check_interfaces, check_interfaces_of_batch, check_program
from weir.measure.ranks import check_ranks, programs_of
from weir.records.model import Cell, Stack

# A fake of weir-io: reports one rank, in the file of its option.
SAYS_ONE_RANK = """\
for word in "$@"; do
    case $word in --json=*) echo '{"job": {"ranks_per_host": [1]}}' >"${word#--json=}" ;; esac
done
"""


def script(file: Path, text: str) -> Path:
    return write_program(file, f"#!/bin/sh\n{text}")


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


def cell_of(api: str, tool: str = "ior") -> Cell:
    return Cell(f"{api:0>12}", api, "s", "e", tool, "x", "t", "mine", "p", 1, 2, 1, 1, 60.0, {"api": api})


@pytest.mark.parametrize(
    ("api", "lacking"),
    [("POSIX", None), ("PNETCDF", None), ("NULL", None), ("HDF5", "HDF5"), ("URING", "URING")],
)
def test_an_interface_that_a_program_was_built_without_is_known_before_the_first_run(
    tmp_path: Path, api: str, lacking: str | None
) -> None:
    """As the --help of IOR 4.1 tells it, of a build with PnetCDF and without HDF5 and asynchronous I/O."""
    listed = "  -a=POSIX                      API for I/O [POSIX|DUMMY|MPIIO|MMAP|NCMPI]"
    script(tmp_path / "ior", f"echo '{listed}'\n")
    check = check_interfaces(
        "ior", stack_of(tmp_path, str(tmp_path / "ior")), [cell_of("POSIX"), cell_of(api)]
    )
    assert (check.problem is not None) == (lacking is not None)
    if lacking:
        expected = f"was built without {lacking} (it has: POSIX, NULL, MPIIO, MMAP, PNETCDF)"
        assert expected in str(check.problem)
        assert f"build it with {lacking}" in check.hint


def test_a_program_that_lists_no_interfaces_is_taken_as_it_is(tmp_path: Path) -> None:
    script(tmp_path / "ior", "exit 1\n")
    for program in (str(tmp_path / "ior"), str(tmp_path / "nowhere")):
        assert check_interfaces("ior", stack_of(tmp_path, program), [cell_of("HDF5")]).problem is None


def test_an_interface_that_some_cells_lack_stops_these_alone(tmp_path: Path) -> None:
    script(tmp_path / "ior", "echo '  -a=POSIX   API for I/O [POSIX|DUMMY|MPIIO]'\n")
    stack = stack_of(tmp_path, str(tmp_path / "ior"))
    stack = replace(stack, programs={**stack.programs, "mdtest": ("weir-io", "mdtest")})
    lacks, posix, others = cell_of("HDF5"), cell_of("POSIX"), cell_of("POSIX", "mdtest")
    for beside in (posix, others):
        (check,) = [check for check in check_interfaces_of_batch([lacks, beside], stack) if check.problem]
        assert "was built without HDF5" in str(check.told)
        assert (check.cells, check.stops) == ((lacks.cell,), False)
    (check,) = check_interfaces_of_batch([lacks], stack)
    assert (check.cells, check.stops) == ((), True)


def test_ranks_in_a_container_that_do_not_find_each_other_stop_the_batch(tmp_path: Path) -> None:
    # hydra -n 2 -ppn 2 exec.sh IMAGE weir-io ior ...: the wrapper must be part of what is started.
    script(tmp_path / "mpiexec.hydra", 'shift 4\nexec "$@"\n')
    script(tmp_path / "weir-io", SAYS_ONE_RANK)
    wrapper = script(tmp_path / "exec.sh", '[ "$1" = image.sif ] || exit 1\nshift\nexec "$@"\n')
    check = check_ranks(1, 2, stack_of(tmp_path, str(wrapper), "image.sif", "weir-io", "ior"), "hydra")
    assert check.problem == "requested 1 x 2 ranks of weir-io, 1 started"


def test_where_no_program_can_tell_its_ranks_the_launcher_is_tried(tmp_path: Path) -> None:
    script(tmp_path / "mpiexec.hydra", '[ "$*" = "-n 2 -ppn 2 true" ]\n')
    stack = replace(stack_of(tmp_path), programs={"netcdf-bench": ("benchtool",)})
    check = check_ranks(1, 2, stack, "hydra")
    assert check.found == "1 x 2 started; true does not tell where"
    assert check.problem is None


IOR = """\
echo "IOR-{version}: MPI Coordinated Test of Parallel I/O"
echo
echo "Run began: Tue Mar  8 11:00:00 2011"
echo "Command line used: $0 $*"
echo
echo "Summary:"
"""
IOR_2 = IOR.format(version="2.10.3") + 'printf "\\tclients            = 2 (2 per node)\\n"\n'
IOR_4 = IOR.format(version="4.1.0") + (
    "printf 'Options: \\nnodes               : 1\\n'\n"
    "printf 'tasks               : {tasks}\\nclients per node    : {tasks}\\n'\n"
)
MDTEST = """\
echo "-- started at 11/28/2026 00:31:16 --"
echo
echo "mdtest-{version} was launched with {tasks} total task(s) on 1 node(s)"
"""


@pytest.mark.parametrize(
    ("tool", "prints", "problem"),
    [
        ("ior", IOR_2, None),
        ("ior", IOR_4.format(tasks=2), None),
        ("ior", IOR_4.format(tasks=2) + "echo 'ERROR: open64() failed'; exit 255\n", None),
        ("ior", IOR_4.format(tasks=1), "requested 1 x 2 ranks of bench, 1 started"),
        ("mdtest", MDTEST.format(version="1.9.3", tasks=2), None),
        ("mdtest", MDTEST.format(version="4.1.0", tasks=1), "requested 1 x 2 ranks of bench, 1 started"),
        ("ior", "echo 'no MPI here' >&2\nexit 1\n", "1 x 2 ranks of bench could not be started: no MPI here"),
        ("ior", "", None),
    ],
    ids=["2.10", "4.1", "no folder there", "other MPI", "mdtest", "mdtest alone", "fails", "silent"],
)
def test_the_original_programs_are_started_as_their_runs_are(
    tmp_path: Path, tool: str, prints: str, problem: str | None
) -> None:
    """One launch of each: an IOR with the MPI of another launcher, or without its libraries on the nodes, is
    found before the first run."""
    script(tmp_path / "mpiexec.hydra", f'echo "$*" >>{tmp_path}/launches\nshift 4\nexec "$@"\n')
    script(tmp_path / "bench", prints)
    stack = replace(stack_of(tmp_path), programs={tool: ("bench",)})
    assert check_ranks(1, 2, stack, "hydra").problem == problem
    (launch,) = (tmp_path / "launches").read_text().splitlines()
    assert launch.startswith("-n 2 -ppn 2 bench ")


def test_each_program_of_a_batch_is_started_once(tmp_path: Path) -> None:
    script(tmp_path / "mpiexec.hydra", f'echo "$5 $6" >>{tmp_path}/launches\nshift 4\nexec "$@"\n')
    script(tmp_path / "weir-io", SAYS_ONE_RANK)
    lacks = "bench: error while loading shared libraries: libmpi.so.40: cannot open shared object file"
    script(tmp_path / "bench", f"echo '{lacks}' >&2\nexit 127\n")
    commands = {"ior": ("weir-io", "ior"), "find": ("weir-io", "find"), "mdtest": ("bench",)}
    stack = replace(stack_of(tmp_path), programs=commands)
    check = check_ranks(1, 1, stack, "hydra")
    assert check.problem == f"1 x 1 ranks of bench could not be started: {lacks}"
    assert check.hint == "name its folder as LD_LIBRARY_PATH in the environment of stack mine"
    assert (tmp_path / "launches").read_text().splitlines() == ["weir-io ior", "bench -C"]
    (tmp_path / "launches").unlink()
    of_batch = programs_of([("ior", ("weir-io", "ior")), ("find", ("weir-io", "find"))])
    assert check_ranks(1, 1, stack, "hydra", programs=of_batch).problem is None
    assert (tmp_path / "launches").read_text().splitlines() == ["weir-io ior"]
