"""Compares the counts of weir prove with the truth, for programs that were told how much to move.

python bench/prove_programs.py [--only PATTERN] [--table FILE] [--inputs DIR] [DIRECTORY...]

Each program, or those whose names have the pattern, runs below each directory, by default one on the disk of
the checkout and one in memory. A program that is missing has a line here and none in the table, which is
bench/results/prove_programs.csv: rows of a program and file system that are measured again are replaced.
`python -m tests.lab programs` does the same on file systems of the lab.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.tables import replace_rows
from weir.base.mounts import mount_of

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench/results/prove_programs.csv"
MEMORY = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
MIB = 2**20
SIZE = 32
CLOSE = 0.01
HEAD = ("program", "file system", "told", "by calls", "kernel", "device or servers", "within 1 %")
KEYS = HEAD[:2]

JAVA = """\
public class Writer { public static void main(String[] a) throws Exception {
  try (java.io.FileOutputStream f = new java.io.FileOutputStream(a[0])) {
    for (int i = 0; i < 32; i++) f.write(new byte[1 << 20]);
    f.getFD().sync(); } } }
"""
GO = """\
package main
import "os"
func main() { f, _ := os.Create(os.Args[1]); b := make([]byte, 1<<20)
  for i := 0; i < 32; i++ { f.Write(b) }
  f.Sync(); f.Close() }
"""
POSTGRES = """\
#!/bin/sh -e
initdb -D "$1" -A trust > /dev/null
pg_ctl -D "$1" -w -l "$1/log" -o "-c listen_addresses= -c unix_socket_directories=$1" start > /dev/null
trap 'pg_ctl -D "$1" -w stop > /dev/null' EXIT
pgbench -h "$1" -i -s 1 -q postgres 2> /dev/null
pgbench -h "$1" -t 200 -n postgres > /dev/null
"""
# One transaction: few pages of the log are written twice. Its segments are neither filled before nor kept.
# $1: the database, which is elsewhere than its log; $2: what it tells.
POSTGRES_LOG = """\
#!/bin/sh -e
own="-c listen_addresses= -c unix_socket_directories=$1 -c wal_init_zero=off -c wal_recycle=off"
pg_ctl -D "$1" -w -l "$1/messages" -o "$own -c autovacuum=off" start > /dev/null
trap 'pg_ctl -D "$1" -w stop > /dev/null' EXIT
ask() { psql -h "$1" -d postgres -qAt -c "$2"; }
from=$(ask "$1" "SELECT pg_current_wal_lsn()")
ask "$1" "CREATE TABLE t AS SELECT i, repeat(md5(i::text), 4) FROM generate_series(1, 200000) i"
ask "$1" "SELECT pg_sleep(1)"
ask "$1" "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '$from')" > "$2"
"""
HDF5 = "import h5py, sys, numpy; h5py.File(sys.argv[1], 'w')['d'] = numpy.ones(4 << 20)"
NETCDF = (
    "import netCDF4, sys, numpy; d = netCDF4.Dataset(sys.argv[1], 'w'); d.createDimension('x', 4 << 20); "
    "d.createVariable('v', 'f8', ('x',))[:] = numpy.ones(4 << 20); d.close()"
)
SQL = (
    "PRAGMA journal_mode=DELETE; CREATE TABLE t(b BLOB);" + "INSERT INTO t VALUES(randomblob(1000000));" * 20
)
# A cache that holds all, so that each page is written once: by the commit, or into the log and from there.
SQL_ONCE = (
    "PRAGMA journal_mode={mode}; PRAGMA cache_size=-200000; PRAGMA wal_autocheckpoint=0; BEGIN; "
    "CREATE TABLE t(b BLOB);" + "INSERT INTO t VALUES(randomblob(1000000));" * 32 + "COMMIT;"
)
FIO = ("fio", "--name=j", "--size=32m", "--bs=128k", "--filename={data}/f", "--output-format=json")
JOBS = {
    "fsync at the end": ("--rw=write", "--end_fsync=1"),
    "fsync=16": ("--rw=write", "--fsync=16"),
    "direct=1": ("--rw=write", "--direct=1"),
    "sync=1": ("--rw=write", "--sync=1"),
    "mmap, after laying the file out": ("--rw=write", "--ioengine=mmap", "--end_fsync=1"),
    "io_uring, depth 8, direct": ("--rw=write", "--ioengine=io_uring", "--iodepth=8", "--direct=1"),
    "randread, direct=1": ("--rw=randread", "--direct=1"),
    "read, invalidate=0": ("--rw=read", "--invalidate=0"),
}


@dataclass(frozen=True)
class Program:
    """read, written: MiB that it is told to move on the file system; None: it decides itself."""

    name: str
    command: Sequence[str]
    read: float | None = 0
    written: float | None = 0
    user: str = ""  # who runs it if root may not
    before: Sequence[str] = ()  # a command that makes what it needs
    on: str = "{data}"  # what is watched
    truth: Callable[[Path], float] | None = None  # bytes that it wrote by its own files, below the folder


def _pages(data: Path) -> float:
    return (data / "db").stat().st_size


def _frames(data: Path) -> float:
    """The bytes of a log that was copied into the database: each page there with 24 bytes of header."""
    return _pages(data) * (1 + (4096 + 24) / 4096) + 32


def _told(data: Path) -> float:
    return float((data / "told").read_text())


def programs(inputs: Path) -> Iterator[Program]:
    """inputs: a folder elsewhere with what they copy and what was compiled."""
    source = f"{inputs}/in"
    yield Program("dd, conv=fsync", ("dd", f"if={source}", "of={data}/f", "bs=1M", "conv=fsync"), 0, SIZE)
    yield Program("dd, oflag=direct", ("dd", f"if={source}", "of={data}/f", "bs=1M", "oflag=direct"), 0, SIZE)
    yield Program("cp", ("cp", source, "{data}/f"), 0, SIZE)
    yield Program("rsync", ("rsync", source, "{data}/f"), 0, SIZE)
    yield Program("tar, of a file beside it", ("tar", "-C", "{data}", "-cf", "{data}/t", "there"), SIZE, SIZE)
    yield Program(
        "git clone", ("git", "clone", "-q", "--no-local", f"{inputs}/repo", "{data}/clone"), None, SIZE
    )
    yield Program("sqlite3, 20 transactions", ("sqlite3", "{data}/db", SQL), None, None)
    for name, mode, truth in (
        ("journal off", "OFF", _pages),
        ("its log (WAL) and a checkpoint", "WAL", _frames),
    ):
        yield Program(
            f"sqlite3, {name}", ("sqlite3", "{data}/db", SQL_ONCE.replace("{mode}", mode)), truth=truth
        )
    for name, options in JOBS.items():
        reads = "read" in name
        moved = (SIZE, 0) if reads else (0, 2 * SIZE if "mmap" in name else SIZE)
        file = [one.replace("{data}/f", "{data}/there") if reads else one for one in FIO]
        yield Program(f"fio, {name}", (*file, *options), *moved)
    ranks = ("mpirun", "--oversubscribe", "-np", "2", str(ROOT / "build/weir-io"))
    yield Program(
        "weir-io, 2 ranks by mpirun, 1 MiB each to warm up",
        (*ranks, "ior", "-w", "-e", "-k", "-t", "1m", "-b", "16m", "-o", "{data}/f"),
        0,
        SIZE + 2,
    )
    ior = ("mpirun", "--oversubscribe", "-np", "2", "ior", "-e", "-k", "-t", "1m", "-b", "16m")
    yield Program("IOR, 2 ranks, fsync", (*ior, "-w", "-o", "{data}/f"), 0, SIZE)
    yield Program(
        "IOR, 2 ranks, read, O_DIRECT", (*ior, "-r", "--posix.odirect", "-o", "{data}/there"), SIZE, 0
    )
    names = ("mdtest", "-F", "-C", "-T", "-E", "-n", "1024", "-w", "4096", "-e", "4096", "-d", "{data}/names")
    yield Program("mdtest, 2048 files of 4 KiB", ("mpirun", "--oversubscribe", "-np", "2", *names), 8, 8)
    yield Program(
        "PostgreSQL, initdb and pgbench", (f"{inputs}/postgres.sh", "{data}/db"), None, None, "postgres"
    )
    yield Program(
        "PostgreSQL, its log (WAL)",
        (f"{inputs}/postgres-log.sh", "{memory}/db", "{data}/told"),
        user="postgres",
        before=("initdb", "-D", "{memory}/db", "-X", "{data}/log", "-A", "trust"),
        on="{data}/log",
        truth=_told,
    )
    yield Program("h5py", (sys.executable, "-c", HDF5, "{data}/f.h5"), None, SIZE)
    yield Program("netCDF4 in Python", (sys.executable, "-c", NETCDF, "{data}/f.nc"), None, SIZE)
    yield Program("Java, with sync", ("java", "-cp", str(inputs), "Writer", "{data}/f"), 0, SIZE)
    yield Program("Go, with Sync", (f"{inputs}/writer", "{data}/f"), 0, SIZE)


def prepare(inputs: Path) -> None:
    (inputs / "in").write_bytes(os.urandom(SIZE * MIB))
    (inputs / "Writer.java").write_text(JAVA)
    (inputs / "writer.go").write_text(GO)
    for name, script in (("postgres.sh", POSTGRES), ("postgres-log.sh", POSTGRES_LOG)):
        (inputs / name).write_text(script)
        (inputs / name).chmod(0o755)
    (inputs / "repo").mkdir()
    (inputs / "repo/half").write_bytes(os.urandom(SIZE * MIB // 2))
    git = ["git", "-C", str(inputs / "repo"), "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (
        [*git, "init", "-q"],
        [*git, "add", "half"],
        [*git, "commit", "-qm", "half"],
        ["javac", "-d", str(inputs), str(inputs / "Writer.java")],
        ["go", "build", "-o", str(inputs / "writer"), str(inputs / "writer.go")],
    ):
        if shutil.which(command[0]):
            environment = {**os.environ, "GOCACHE": str(inputs / "cache"), "GO111MODULE": "off"}
            subprocess.run(command, check=False, env=environment, stdout=subprocess.DEVNULL)


def prove_command(on: Path, seen: Path, *options: str) -> list[str]:
    """The command before the program."""
    weir = (sys.executable, "-m", "weir", "prove")
    return [*weir, "--on", str(on), "--json", str(seen), *options, "--"]


def seen_of(program: Program, folder: Path, inputs: Path) -> tuple[Program, dict[str, Any]] | None:
    """The program with what it was told, and what was seen; None where it is missing or failed."""
    data, memory = Path(tempfile.mkdtemp(dir=folder)), Path(tempfile.mkdtemp(dir=MEMORY))

    def here(parts: Sequence[str]) -> list[str]:
        return [part.replace("{data}", str(data)).replace("{memory}", str(memory)) for part in parts]

    try:
        (data / "there").write_bytes(os.urandom(SIZE * MIB))
        os.sync()
        (inputs / "seen.json").unlink(missing_ok=True)  # another user could not write over it
        become: list[str] = []
        if program.user and os.geteuid() == 0:
            for each in (data, memory, inputs):
                shutil.chown(each, program.user)
            become = ["setpriv", "--reuid", program.user, "--clear-groups"]
        if program.before and not _ran(program, [*become, *here(program.before)], data):
            return None
        watched = prove_command(Path(*here([program.on])), inputs / "seen.json")
        if not _ran(program, [*become, *watched, *here(program.command)], data):
            return None
        if program.truth is not None:
            program = replace(program, written=program.truth(data) / MIB)
        return program, dict(json.loads((inputs / "seen.json").read_text()))
    finally:
        shutil.rmtree(data)
        shutil.rmtree(memory)


def _is_missing(program: Program) -> bool:
    names = [program.command[0], *(program.before[:1])]
    names += program.command[4:5] if names[0] == "mpirun" else []
    for name in names:
        if not shutil.which(name):
            print(f"{program.name}: not measured: {Path(name).name} is not found")
            return True
    return False


def _ran(program: Program, command: Sequence[str], data: Path) -> bool:
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment["PYTHONPATH"] = os.pathsep.join(paths)
    done = subprocess.run(command, cwd=data, env=environment, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        reason = " ".join(done.stderr.strip("- \n").split()[-20:]) or "no message"
        print(f"{program.name}: not measured: {reason}")
    return done.returncode == 0


def row_of(program: Program, seen: dict[str, Any], folder: Path) -> list[str]:
    mounts = sorted(seen["mounts"], key=lambda one: not one["phases"])
    if not mounts:
        truth = _text([program.read, program.written], [program.read, program.written], 1)
        return [program.name, (mount_of(folder) or {}).get("type", ""), truth, *["not seen"] * 3, "nobody"]
    mount = mounts[0]
    calls = [sum(phase[name] for phase in mount["phases"]) for name in ("read_bytes", "written_bytes")]
    calls = [bytes_ + streamed for bytes_, streamed in zip(calls, mount["streamed"], strict=True)]
    whole = mount["whole"]
    kernel = [whole["fetched_bytes"], whole["dirtied_bytes"]]
    if not seen["processes"] and seen["kernel"] and mount["counted"]:
        kernel = [seen["kernel"]["read_bytes"], seen["kernel"]["write_bytes"]]
    servers = next((one[1::-1] for one in whole["servers"] if one[0] is not None), None)
    below = servers or (whole["device"] or [None, None])[:2]
    told = [program.read, program.written]
    layers = {"calls": calls, "kernel": kernel, "servers" if servers else "device": below}
    near = [name for name, counts in layers.items() if _is_near(counts, told)]
    agrees = "" if not any(told) else ", ".join(near) or "nobody"
    columns = [_text(told, told, 1), *(_text(one, told) for one in (calls, kernel, below))]
    columns[-1] += _headers(below, told, mount) if servers else ""
    return [program.name, mount["file_system"], *columns, agrees]


def _headers(below: Sequence[int | None], told: Sequence[float | None], mount: dict[str, Any]) -> str:
    """A remark where more bytes crossed to the servers: how much that is for a call, whose request has a
    header."""
    pairs = [(bytes_, size * MIB) for bytes_, size in zip(below, told, strict=True) if bytes_ and size]
    more = sum(bytes_ - size for bytes_, size in pairs)
    calls = sum(count for phase in mount["phases"] for count in phase["calls"].values())
    if not calls or more <= CLOSE * sum(size for _, size in pairs):
        return ""
    return f" ({more / calls:.0f} bytes more for each of {calls:,} calls)"


def _is_near(counts: Sequence[int | None], told: Sequence[float | None]) -> bool:
    pairs = [(bytes_, size) for bytes_, size in zip(counts, told, strict=True) if size]
    return all(bytes_ is not None and abs(bytes_ / MIB - size) <= CLOSE * size for bytes_, size in pairs)


def _text(values: Sequence[float | None], told: Sequence[float | None], unit: int = MIB) -> str:
    """The values of the accesses that the program was told, or all where it decides."""
    parts = []
    for name, value, size in zip(("read", "write"), values, told, strict=True):
        if size == 0 or (size is None and any(told)):
            continue
        number = "not counted" if value is None else f"{value / unit:.2f}" if unit > 1 else f"{value:g}"
        parts.append(f"{name} {'unknown' if unit == 1 and size is None else number}")
    return ", ".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("directories", nargs="*", type=Path, default=[ROOT / "build", Path("/dev/shm")])
    parser.add_argument("--only", default="")
    parser.add_argument("--table", type=Path, default=RESULTS)
    parser.add_argument("--inputs", type=Path, help="a directory with what they need, as prepare() makes it")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=MEMORY, prefix="weir-inputs-") as name:
        inputs = chosen.inputs or Path(name)
        if not chosen.inputs:
            prepare(inputs)
        for program in programs(inputs):
            is_chosen = re.search(chosen.only, program.name) and not _is_missing(program)
            for folder in chosen.directories if is_chosen else ():
                seen = seen_of(program, folder.resolve(), inputs)
                if seen is not None:
                    row = row_of(*seen, folder.resolve())
                    print(" | ".join(row), flush=True)
                    replace_rows([dict(zip(HEAD, row, strict=True))], chosen.table, KEYS, HEAD)


if __name__ == "__main__":
    main()
