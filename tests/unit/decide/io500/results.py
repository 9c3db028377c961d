"""Small IO500 result directories in each format. The numbers are made up; the scores are round."""

from pathlib import Path

from weir.decide.io500.result import PHASES

# Bandwidths of 4 GiB/s and rates of 9 kIOPS: the score is 6 by today's rule, 36 by that of 2017.
BANDWIDTH_GIB_S = 4.0
RATE_KIOPS = 9.0
IOR_LOG = """\
IOR-3.3.0: MPI Coordinated Test of Parallel I/O
Began               : Tue Nov 12 16:28:32 2019
Command line        : ior -w -t 2m -b 9920m -F -D {stonewall} -O stoneWallingWearOut=1
Options:
api                 : POSIX
access              : file-per-process
nodes               : 2
tasks               : 8
clients per node    : 4
xfersize            : 2 MiB
stonewallingTime    : {stonewall}

Results:

access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ---------- ---------  --------   --------   --------   --------   ----
write     4096.00    10158080   2048.00    0.361390   300.00     0.023810   300.38     0
Max Write: 4096.00 MiB/sec (4294.97 MB/sec)
Finished            : Tue Nov 12 16:34:11 2019
"""
# Its bytes by its time are its bandwidth, and the phases of the other one are longer together than its total.
SOUND_LOG = (
    IOR_LOG.format(stonewall=300)
    .replace("-b 9920m", "-g -b 153600m")
    .replace("10158080 ", "157286400")
    .replace("300.00     0.023810   300.38", "299.00     0.023810   300.00")
)
OVERLAPPING_LOG = SOUND_LOG.replace("0.361390", "90.361390")


def value(name: str) -> float:
    return BANDWIDTH_GIB_S if PHASES[name] == "GiB/s" else RATE_KIOPS


def old_summary(time_s: float = 300.5, total: float = 6.0) -> str:
    """As the scripts printed it: GB/s, underscores, kiops, three digits."""
    lines = []
    for number, (name, unit) in enumerate(PHASES.items(), 1):
        kind, printed = ("BW  ", "GB/s") if unit == "GiB/s" else ("IOPS", "kiops")
        lines.append(
            f"[RESULT] {kind} phase {number} {name:>25} {value(name):>20.3f} {printed}"
            f" : time {time_s:6.2f} seconds"
        )
    score = f"[SCORE] Bandwidth {BANDWIDTH_GIB_S:g} GB/s : IOPS {RATE_KIOPS:g} kiops : TOTAL {total:g}"
    return "\n".join([*lines, score, ""])


def new_summary(time_s: float = 300.5, mark: str = "RESULT") -> str:
    """As the application prints it."""
    lines = ["IO500 version io500-isc24_v3 (standard)"]
    for name, unit in PHASES.items():
        lines.append(
            f"[{mark}] {name.replace('_', '-'):>20} {value(name):>15.6f} {unit} : time {time_s:.3f} seconds"
        )
    lines.insert(3, "[      ]            timestamp        0.000000 kIOPS : time 0.000 seconds")
    lines.append("[      ]  ior-rnd4K-easy-read        8.853019 GiB/s : time 138.170 seconds")
    return "\n".join([*lines, "[SCORE ] Bandwidth 4.000000 GiB/s : IOPS 9.000000 kiops : TOTAL 6.000000", ""])


def ini(time_s: float | None = 300.5, stonewall_s: int = 300, score: str = "6.000000") -> str:
    """result.txt of the application."""
    lines = ["[run]", "procs           = 8", "version         = io500-isc24_v3", "mode            = standard"]
    lines.append("; START 2024-11-11 11:54:32")
    for name in PHASES:
        option = (
            f"-{'D' if name.startswith('ior') else 'W'} {stonewall_s} " if name.endswith("_write") else ""
        )
        lines += ["", f"[{name.replace('_', '-')}]"]
        if name != "find":
            program = "ior -k -e" if name.startswith("ior") else "mdtest -k"
            lines.append(f"exe             = ./{program} {option}-a POSIX")
        lines.append(f"score           = {value(name):f}")
        if time_s is not None:
            lines.append(f"t_delta         = {time_s:.4f}")
    lines += ["", "[SCORE]", "MD              = 9.000000", "BW              = 4.000000"]
    return "\n".join([*lines, f"SCORE           = {score}", "hash            = 8D00E89", "; END", ""])


def write(folder: Path, **files: str) -> Path:
    """result_summary="..." becomes result_summary.txt."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text)
    return folder
