"""Logs of IOR 4 as it prints them, written for one question each."""

from pathlib import Path

from tests.unit.imported import rows_of
from weir.collect.imported_files import Facts
from weir.records.model import Row

MIB = 2**20
_HEAD = """\
IOR-4.0.0: MPI Coordinated Test of Parallel I/O
Began               : Tue May 16 07:00:52 2023
Command line        : {command}
Machine             : Linux n1
TestID              : 0
StartTime           : Tue May 16 07:00:52 2023

Options:
api                 : {api}
test filename       : /scratch/data
access              : {layout}
type                : independent
segments            : 1
ordering in a file  : sequential
nodes               : 10
tasks               : 40
clients per node    : 4
repetitions         : 1
xfersize            : 1 MiB
blocksize           : 4 GiB
aggregate filesize  : 160 GiB

Results:

access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)
------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------
"""
WHOLE_MIB = 40 * 4096
_ROW = "{access:9} {bw:.2f} {iops:.2f} 0.001 4194304 1024.00 {open} {io} {close} {total} 0\n"
_SIZES = """\
WARNING: Expected aggregate file size       = {expected}
WARNING: Stat() of aggregate file size      = {stat}
WARNING: Using actual aggregate bytes moved = {moved}
"""
_END = "\nFinished            : Tue May 16 07:06:23 2023\n"


def log(
    lines: str = "",
    access: str = "write",
    options: str = "-e -g",
    program: str = "/opt/bin/ior",
    api: str = "POSIX",
    layout: str = "single-shared-file",
    times_s: tuple[float, float, float, float] = (0.01, 100.0, 0.02, 100.03),
    sizes: tuple[int, int, int] | None = None,
    end: bool = True,
) -> str:
    """sizes: what the warnings call expected, stat and moved; times_s: open, transfer, close, total."""
    flag = {"write": "-w", "read": "-r"}[access]
    command = f"{program} -a {api} {flag} {options} -t 1m -b 4g -s 1 -o /scratch/data"
    moved_mib = sizes[2] / MIB if sizes else WHOLE_MIB
    warned = _SIZES.format(expected=sizes[0], stat=sizes[1], moved=sizes[2]) if sizes else ""
    names = dict(zip(("open", "io", "close", "total"), times_s, strict=True))
    rate = moved_mib / times_s[3]
    row = _ROW.format(access=access, bw=rate, iops=rate, **names)
    head = _HEAD.format(command=command, api=api, layout=layout)
    return head + lines + warned + row + (_END if end else "")


def imported(folder: Path, text: str, **observed: object) -> Row:
    """The only record of the log."""
    (row,) = rows_of(folder, text, Facts(observed=dict(observed)))
    return row
