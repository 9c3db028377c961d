"""Beyond the first 64 files an open costs less than the question where the kernel has the file."""

from pathlib import Path
from typing import Any

import pytest

from tests.compiled import shared_library
from tests.witness.test_witness_swaps import process_of
from tests.witness.watched import is_built

pytestmark = [pytest.mark.quick, is_built]

FILES = 2000
FIRST = 64  # with counts of their own; the file that each program begins with is one of them
EACH = 16  # how many opens the kernel's path of one stands for
COUNTER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static _Atomic int calls;
ssize_t readlink(const char *path, char *buffer, size_t bytes) {
    ssize_t (*next)(const char *, char *, size_t);
    *(void **)&next = dlsym(RTLD_NEXT, "readlink");
    calls++;
    return next(path, buffer, bytes);
}
__attribute__((destructor)) static void end(void) {
    FILE *file = fopen(getenv("CALLS"), "w");
    fprintf(file, "%d", calls);
    fclose(file);
}
"""
CREATES = f"""
folder = os.path.dirname(sys.argv[1])
def write(name, flags=os.O_CREAT | os.O_WRONLY):
    other = os.open(os.path.join(folder, name), flags)
    os.write(other, b"x" * 10)
    os.close(other)
for i in range({FILES}):
    write(f"file.{{i}}")
"""


def others(process: dict[str, Any]) -> tuple[int, int, int]:
    return process["other_opens"], process["others"]["opens"], process["others"]["written_bytes"]


def test_the_kernel_is_asked_for_the_path_of_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counter, calls = shared_library(tmp_path / "counter.so", COUNTER), tmp_path / "calls"
    monkeypatch.setenv("CALLS", str(calls))
    process = process_of(tmp_path, CREATES, before=str(counter))
    rest = FILES + 1 - FIRST
    assert others(process) == (rest, rest, 10 * rest)
    assert len(process["files"]) == FIRST
    assert FILES / EACH < int(calls.read_text()) < FILES / 4


def test_a_file_with_counts_of_its_own_keeps_them(tmp_path: Path) -> None:
    process = process_of(
        tmp_path, CREATES + "write('file.3', os.O_WRONLY)\nwrite('file.1999', os.O_WRONLY)\n"
    )
    opens = {Path(file["path"]).name: file["opens"] for file in process["files"]}
    assert (opens["file.3"], opens["file.4"]) == (2, 1)
    assert process["others"]["opens"] == FILES + 1 - FIRST + 1


LINKS = """
elsewhere = TARGET
for i in range(500):
    os.symlink(elsewhere, os.path.join(folder, f"link.{i}"))
    write(f"link.{i}")
"""


@pytest.mark.parametrize(("target", "most"), [("'/dev/null'", 0), ("folder + '-elsewhere'", EACH - 1)])
def test_a_name_that_leads_elsewhere_does_not_count(tmp_path: Path, target: str, most: int) -> None:
    """On another mount never; on the same one until the next look at a path, which shows the link."""
    process = process_of(tmp_path, CREATES + LINKS.replace("TARGET", target))
    rest = FILES + 1 - FIRST
    assert rest <= process["others"]["opens"] <= rest + most


def test_links_alone_are_never_trusted(tmp_path: Path) -> None:
    program = CREATES.replace(f"range({FILES})", "range(0)") + LINKS.replace(
        "TARGET", "folder + '-elsewhere'"
    )
    process = process_of(tmp_path, program)
    assert [Path(file["path"]).name for file in process["files"]] == ["file"]
    assert process["others"]["opens"] == 0


def test_a_directory_that_was_moved_away_is_noticed(tmp_path: Path) -> None:
    moved = """
sub, folder = folder, os.path.join(folder, "sub")
os.mkdir(folder)
for i in range(200):
    write(f"in.{i}")
os.rename(folder, sub + "-away")
os.symlink(sub + "-away", folder)
for i in range(500):
    write(f"away.{i}")
"""
    process = process_of(tmp_path, CREATES.replace(f"range({FILES})", "range(0)") + moved)
    within = 1 + 200 - FIRST
    assert within <= process["others"]["opens"] < within + EACH
