"""Which lines are errors, which are warnings, which are neither; what a warning does to the result."""

from __future__ import annotations

import pytest

from weir.terms.model import Message
from weir.tools.complaints import complaint, without_repeats
from weir.tools.ior.parse import parse_log


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
    message = complaint(line)
    assert message is not None
    assert message.level == "error"


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
    "line", ["write     734.52     744.97", "Options: ", "  Exit code:    0", "test filename : /x/ERROR", ""]
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
