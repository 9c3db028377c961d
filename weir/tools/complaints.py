"""Lines of outputs that are complaints: of a tool, the MPI library, the launcher or the system. The effect of
a warning of IOR or mdtest on the result beside it, whichever of their versions printed it.

A warning that is not in the table of effects has no known one: the audit shows its text as a note.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from weir.base.files import printable
from weir.records.model import Message

FAILED = "failed"  # an operation that was timed, or the data, failed: the number is that of other work
DOUBTFUL = "doubtful"  # something around the timed operations failed, and may have changed what was timed
JUDGED = "judged"  # a rule of its own looks at it, with what else is known of the run
NONE = "none"  # the result is what it would be without it

# The first pattern that fits counts. Names of timed items are mdtest's: file.mdtest.0.7, dir.mdtest.0.7.
_EFFECTS: tuple[tuple[str, str], ...] = (
    (r"Incorrect data on |verifying the data on read|unable to verify write", FAILED),
    (r"failed No space left|failed Disk quota exceeded|returned EOF prematurely", FAILED),
    (r"\b(write|read)\(.*\) failed\b|too many retries -- aborting|not retrying collective", FAILED),
    (r"[fm]sync\(.*\) failed|cannot perform fsync", FAILED),
    (r"unable to \w+ .*\b(file|dir)\.mdtest\.", FAILED),
    (
        r"unable to (create|open|stat|read|write|rename|mknode) file |unable to (stat|rename) directory ",
        FAILED,
    ),
    (r"(unlink|rename|rmdir|mkdir)\(\) of .*\b(file|dir)\.mdtest\..* failed", FAILED),
    (r"unable to create (tree |test )?directory", DOUBTFUL),
    (r"could not read back the stonewalling status", DOUBTFUL),
    (r"More tasks requested .* than available|running (on|with) \d+ tasks", DOUBTFUL),
    (r"cannot use O_DIRECT|unable to reset to global default directory layout", DOUBTFUL),
    (r"Lustre striping options set but not available|Lustre pool option set but", DOUBTFUL),
    (r"BeeGFS tuning failed|Not a BeeGFS file system", DOUBTFUL),
    (r"unlink\(\) of file .* failed|cannot delete file", DOUBTFUL),
    (r"overflow in errors counted", DOUBTFUL),
    (r"partial (write|read)|Using value of|inconsistent file size|will be overwritten", JUDGED),
    (r"Expected aggregate file size|Stat\(\) of aggregate|actual aggregate bytes|deadlineForStone", JUDGED),
    (r"could not read stonewall status file", NONE),  # none before had a stonewall: all items are there
    (r"statfs|assuming POSIX-based backend|unable to use realpath", NONE),
    (r"unable to remove directory ", NONE),  # trees; a timed directory is above
    (r"Read bytes is 0|will be deleted|StoneWallingStatusFile only preserves", NONE),
    (r"File write only not implemented in NCMPI", NONE),  # it opens for both, and writes
    (r"DUMMY (initialized|finalized)|cannot get platform name|uname failed", NONE),
    (r"could\s?n'?t append to saveRankPerformanceDetailsCSV|cannot get HDF5 library version", NONE),
    (r"gpfs_fcntl\(.* hint failed", NONE),  # without a hint it is that file system as it is
)
_TABLE = tuple((re.compile(pattern, re.IGNORECASE), effect) for pattern, effect in _EFFECTS)


def effect_of(warning: str) -> str | None:
    """One of the effects above; None for a warning that the table does not have."""
    return next((effect for pattern, effect in _TABLE if pattern.search(warning)), None)


# Texts that show that something failed, wherever it is printed and whatever the exit code is.
_ERROR = re.compile(
    r"""^\s*(\*\*\s)?ERROR(:|\sin\s)          # IOR, mdtest and their back ends
    | ^weir-io(\ \w+)?:\                      # its stderr has errors only
    | ^Unrecognized\ parameter | ^Error\ invalid\ argument | ^Invalid\ options
    | FAILED\ in\                             # mdtest 1; IOR's --dryRun
    | mca_f\w+: | mca_\w+_(pread|pwrite)v?:   # Open MPI's MPI-IO: it does not pass these on
    | Assertion\ .*failed
    | \]\ Signal:\  | exited\ on\ signal | [Ss]egmentation\ fault
    | ^Abort\(                                # MPICH
    | ^MPI_ABORT\ was\ invoked | ^MPI\ error\ \(
    | ^\s*Exit\ code:\s+[1-9]
    | HDF5-DIAG:\ Error\ detected
    | unable\ to\ find\ the\ specified\ executable | execvp\ error\ on\ file
    | ^There\ are\ not\ enough\ slots | detected\ an\ attempt\ to\ run\ as\ root
    | ^(slurmstepd|srun):\ error | oom-kill | Out\ of\ memory
    """,
    re.VERBOSE,
)
# Slurm prints it about its own settings (SLURMD_DEBUG), whatever the program does.
_LAUNCHER_REMARK = re.compile(
    r"^(?:\d+: )?(?:slurmstepd|slurmd|srun): .*\bignor|.*\bSLURMD_DEBUG\b", re.IGNORECASE
)
_PROSE = re.compile(r"^\s*[*#-]\s")  # an item of a list or a heading, which only tells of an error
_WARNING = re.compile(r"^(ior )?WARNING:\s*(?P<text>.*)")
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+")
_LONGEST = 300


def complaint(line: str) -> Message | None:
    """The message in a line, if there is one."""
    if _LAUNCHER_REMARK.match(line) or _PROSE.match(line):
        return None
    warning = _WARNING.match(line)
    if warning:
        text = warning["text"]
        return Message("error" if effect_of(text) == FAILED else "warning", _short(text))
    return Message("error", _short(line)) if _ERROR.search(line) else None


def without_repeats(messages: Iterable[Message]) -> list[Message]:
    """Lines that differ in numbers only (ranks, offsets, retries) become one, with their count."""
    first: dict[tuple[str, str, int | None], Message] = {}
    counts: dict[tuple[str, str, int | None], int] = {}
    for message in messages:
        key = (message.level, _NUMBERS.sub("#", message.text), message.row)
        first.setdefault(key, message)
        counts[key] = counts.get(key, 0) + 1
    return [
        one if counts[key] == 1 else replace(one, text=f"{one.text} ({counts[key]} times)")
        for key, one in first.items()
    ]


def _short(text: str) -> str:
    text = printable(" ".join(text.split()))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
