"""Which lines are errors, which are warnings, which are neither; a warning is judged by what it does to the
result, never by being a warning.
"""

from pathlib import Path

import pytest

from tests.unit.imported import rows_of
from tests.unit.tools.test_mdtest_tables import DATE, V1
from weir.records.model import Message, Row
from weir.tools.complaints import DOUBTFUL, FAILED, JUDGED, NONE, complaint, effect_of, without_repeats
from weir.tools.ior.rows import parse_log


@pytest.mark.parametrize(
    "line",
    [
        "ERROR: cannot open file, (aiori-IME.c:220)",
        "ERROR in aiori-HDF5.c (line 467): cannot write to data set.",
        "WARNING: write(17, 0x7f, 1048576) failed No space left on device",
        "WARNING: Incorrect data on read (128 errors found).",
        "mca_fbtl_posix_pwritev: error in (p)write(v):No space left on device",
        "ior: aiori-POSIX.c:818: POSIX_Xfer: Assertion `rc >= 0' failed.",
        "[node:4711] Signal: Bus error (7)",
        "Abort(-1) on node 1 (rank 1 in comm 0): application called MPI_Abort",
        "MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD",
        "  Exit code:    2",
        'weir-io: rank 0: open("/x") failed: No such file or directory',
        "weir-io ior: -a MPIIO: no such back end",
        "slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED",
    ],
)
def test_errors(line: str) -> None:
    assert complaint(line).level == "error"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (
            "ior WARNING: fsync() only available in POSIX.  Using value of 0.",
            "fsync() only available in POSIX. Using value of 0.",
        ),
        ("WARNING: task 0, partial write(), 0 of 8 bytes", "task 0, partial write(), 0 of 8 bytes"),
    ],
)
def test_warnings(line: str, text: str) -> None:
    assert complaint(line) == Message("warning", text)


@pytest.mark.parametrize(
    "line",
    [
        *("write     734.52     744.97", "Options: ", "  Exit code:    0", "test filename : /x/ERROR", ""),
        # what Slurm ignores
        "srun: error: Ignoring --cpu-bind, the plugin is not loaded",
        "slurmstepd: error: option --slurmd-debug is unsupported, ignoring",
        "srun: error: Invalid SLURMD_DEBUG value: 3",
        "0: slurmstepd: error: unable to read the energy counter, ignoring it",
    ],
)
def test_neither(line: str) -> None:
    assert complaint(line) is None


def test_repeats_become_one_with_their_count() -> None:
    printed = [Message("warning", f"task {rank}, partial write()") for rank in range(3)]
    other = Message("error", "task 0, partial write()")
    assert without_repeats([*printed, other]) == [
        Message("warning", "task 0, partial write() (3 times)"),
        other,
    ]


def test_a_warning_of_another_program_before_the_first_line_is_none_of_the_run() -> None:
    before = "WARNING: Running pip as the 'root' user can break permissions\n"
    own = "WARNING: fsync() only available in POSIX. Using value of 0.\n"
    log = f"{before}{own}IOR-4.1.0: MPI Coordinated Test of Parallel I/O\nWARNING: of a kind not known\n"
    assert [message.text[:7] for message in parse_log(log)[0].messages] == ["fsync()", "of a ki"]


def test_a_warning_belongs_to_the_result_after_it() -> None:
    log = """\
IOR-4.1.0: MPI Coordinated Test of Parallel I/O
WARNING: fsync() not supported in selected backend. Using value of 0.
Results:
write 10 10 0.1 1024.00 1024.00 0.01 0.08 0.01 0.10 0
WARNING: task 0, partial read(), 8 of 16 bytes
read 10 10 0.1 1024.00 1024.00 0.01 0.08 0.01 0.10 0
Finished : now
"""
    parsed = parse_log(log)[0]
    assert [(message.text[:7], message.row) for message in parsed.messages] == [
        ("fsync()", None),
        ("task 0,", 1),
    ]
    assert [row["access"] for row in parsed.rows] == ["write", "read"]


EFFECTS = {
    "could not read stonewall status file": NONE,
    "Backend returned error during statfs": NONE,
    "assuming POSIX-based backend for MMAP statfs call": NONE,
    "unable to remove directory /s/test-dir.0-0": NONE,
    "unable to remove directory /s/test-dir.0-0/mdtest_tree.0/dir.mdtest.0.3": FAILED,
    "unable to stat file /s/test-dir.0-0/mdtest_tree.0/file.mdtest.1.3": FAILED,
    'rank 1: unlink() of file "/s/mdtest_tree.0/file.mdtest.1.3" failed': FAILED,
    "write(5, 0x7f, 4096) failed No space left on device": FAILED,
    "fsync(5) failed": FAILED,
    "unable to create tree directory '/s/test-dir.0-0/mdtest_tree.0/'": DOUBTFUL,
    "Unable to create directory /s/test-dir.0-0/mdtest_tree.0/mdtest_tree.1/": DOUBTFUL,
    "cannot use O_DIRECT": DOUBTFUL,
    "fsync() only available in POSIX. Using value of 0.": JUDGED,
    "no barriers between phases": None,
}


@pytest.mark.parametrize("text", EFFECTS)
def test_effect(text: str) -> None:
    assert effect_of(text) == EFFECTS[text]
    message = complaint(f"WARNING: {text}")
    assert message.level == ("error" if EFFECTS[text] == FAILED else "warning")


def created(tmp_path: Path, text: str) -> Row:
    (row,) = rows_of(tmp_path, text)
    return row


@pytest.mark.parametrize("text", [text for text, effect in EFFECTS.items() if effect in (NONE, None)])
def test_a_warning_without_a_known_effect_is_at_most_a_note(text: str, tmp_path: Path) -> None:
    row = created(tmp_path, DATE + V1.replace("4 tasks, 2000", f"WARNING: {text}\n4 tasks, 2000"))
    assert (row["verdict"], row["reasons"]) == ("UNPROVEN", "")
    assert row["notes"] == ("" if EFFECTS[text] else f"warning-printed: {text}")


def test_a_complete_table_without_the_last_line_is_not_cut(tmp_path: Path) -> None:
    """As pages show it: 1.9 prints all lines of its table, also those without a rate."""
    table = V1.replace("   Tree creation", "   File removal      : 0 0 0 0\n   Tree creation")
    row = created(tmp_path, table.partition("-- finished")[0])
    assert (row["verdict"], row["reasons"], row["missing"]) == ("UNPROVEN", "", "end;operations")
    assert row["notes"].startswith("output-incomplete: all results are there")


def test_a_table_that_ends_in_its_middle_is_cut(tmp_path: Path) -> None:
    row = created(tmp_path, V1.partition("   File stat")[0])
    assert (row["verdict"], row["reasons"]) == ("INVALID", "output-incomplete")


def test_a_file_that_all_ranks_share_has_its_operations_counted(tmp_path: Path) -> None:
    text = V1.replace("4 tasks, 2000 files", "4 tasks, 1 file").replace(" -F ", " -F -S ")
    row = created(tmp_path, text)
    assert (row["requested_ops"], row["ops"]) == (2000, 2000)


def test_a_tree_that_is_there_does_no_harm_to_what_is_looked_at(tmp_path: Path) -> None:
    """A phase of its own finds the directories of the one that created."""
    warned = "WARNING: Unable to create test directory path /s/mdtest-easy\n4 tasks, 2000"
    row = created(tmp_path, DATE + V1.replace("4 tasks, 2000", warned))
    assert row["access"] == "create"
    assert (row["verdict"], row["reasons"]) == ("DEGRADED", "warning-printed")
    looked = DATE + V1.replace("4 tasks, 2000", warned).replace("File creation", "File stat    ")
    assert (created(tmp_path, looked)["access"], created(tmp_path, looked)["reasons"]) == ("stat", "")
