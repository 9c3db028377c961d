"""Lines of the output that are complaints: of IOR or mdtest, the MPI library, the launcher, the system."""

from __future__ import annotations

import re
from collections.abc import Iterable

from weir.base.files import printable
from weir.terms.model import Message
from weir.tools.warnings import FAILED, effect_of

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
    return [_counted(message, counts[key]) for key, message in first.items()]


def _counted(message: Message, count: int) -> Message:
    return message if count == 1 else Message(message.level, f"{message.text} ({count} times)", message.row)


def _short(text: str) -> str:
    text = printable(" ".join(text.split()))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
