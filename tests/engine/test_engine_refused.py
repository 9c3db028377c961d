"""Wrong use is refused by name, at once, with exit code 2, and leaves no file.

All of it in one launch, whose cells end as a launch of their own does: test_engine_batch.py, and
test_a_launch_of_its_own_ends_alike here.
"""

import pytest

from tests.engine.cells import Together
from tests.engine.runs import Done, Engine, argv

WRONG = {
    "ior": {
        "-y": "unknown option -y",
        "-wy": "unknown option -y in -wy",
        "--posix.odirct": "did you mean --posix.odirect?",
        "--collectiv": "did you mean --collective?",
        "-a posx": "did you mean POSIX?",
        "-a HDF6": "no such back end",
        "-O sumaryFile=x": "did you mean summaryFile?",
        "-O summaryFormat=XML": "it is default, JSON or CSV",
        "-O stoneWallingWearOut=1": "needs a stonewall",
        "-t 3m -b 4m": "multiple of the transfer size",
        "-t 12 -b 24": "multiple of 8",
        "-t 2m -b 1m": "must not be smaller",
        "-t 0": "must be positive",
        "-t 16kb": "not a size",
        "-b": "needs a value",
        "-b 8t -s 9000000": "more bytes than can be counted",
        "-s 0": "at least one segment",
        "-i 0": "iterations",
        "-i two": "not a whole number",
        "-z -t 1m -b 1m": "nothing to shuffle",
        "-w -z -z -R": "excludes -W and -R",
        "-z -C": "-z with -C needs -F",
        "-C -Z": "exclude each other",
        "-c": "POSIX has no collective transfers",
        "-a MPIIO -c -z": "same number of transfers",
        "-a MPIIO --posix.odirect": "cannot open a file with O_DIRECT",
        "-a NULL -R -G 1": "stores nothing",
        "-u": "-u needs -F",
        "-U hints": "takes no MPI-IO hints",
        "-a MPIIO -U absent": "cannot read the hints file absent",
        "-N 3": "1 rank was launched",
        "-r -R": "needs -G",
        "-r -W": "-W checks what -w wrote",
        "-l zeros": "timestamp, offset, incompressible, random or controlled",
        "-o a@b": "list of files",
        "--null.delay-us=3": "--null.delay-us belongs to -a NULL",
        "-a NULL --null.fail=clsoe": "takes open, sync, close, stat",
        "--posix.odirect -t 1000 -b 1000": "multiple of 512",
        "-D soon": "not a number of seconds",
        "stray": "'stray' is not a valid option",
        "-O randomPrefill=4096": "randomPrefill",
        "-a HDF5 --hdf5.filter=deflate": "--hdf5.filter",
        "-a PNETCDF --pnetcdf.nonblocking": "--pnetcdf.nonblocking",
        "-a HDF5 -z": "-z: HDF5 takes offsets in order only",
        "-a NETCDF4 -z": "-z: NETCDF4 takes offsets in order only",
        "-a NCMPI -z": "-z: PNETCDF takes offsets in order only",
        "-a NCMPI -F": "-F: PNETCDF shares one file",
        "-a HDF5 -w -E": "-E: HDF5 makes each file anew and cannot write into one that is there",
        "-a HDF5 --posix.odirect": "--posix.odirect: HDF5 cannot open a file with O_DIRECT",
        "-a HDF5 --hdf5.chunkSize=-1": "--hdf5.setAlignment and --hdf5.chunkSize cannot be negative",
        "-a POSIX --hdf5.noFill": "--hdf5.noFill belongs to -a HDF5",
        "-a URING --uring.depth=5000": "between 1 and 4096",
        "-a URING --aio.granularity=33": "between 1 and the depth",
        "-a URING --uring.interface=threads": "io_uring or libaio",
        "-a URING -c": "URING has no collective transfers",
        "-a URING -Y": "URING has many transfers at a time",
        "-a MPIIO -Y": "by calls of all ranks",
        "--randomPrefill=4k": "--randomPrefill needs -z",
        "-a HDF5 --hdf5.deflate=3": "need chunks",
        "-a HDF5 --hdf5.deflate=3 --hdf5.chunkSize=8": "by collective calls only",
        "-a HDF5 --hdf5.subfiling": "--hdf5.subfiling: not in this weir-io; it needs HDF5 1.14",
        "-a PNETCDF --pnetcdf.nonblocking=5000": "between 1 and 4096",
        "--rw-mix=100": "between 1 and 99 percent",
        "--rw-mix=50 -w": "give -w and -r, or neither",
        "--rw-mix=50 -a HDF5": "HDF5 cannot write and read one open file",
        "--rw-mix=50 -C": "excludes -W, -C, -Z",
        "--zipf=1.2 -z": "--zipf excludes -z",
        "--zipf=1.2 -a PNETCDF": "takes offsets in order only",
        "--rate=10 -a MPIIO -c": "collective transfers wait for each other",
        "--rate=10 -O interIODelay=5": "exclude each other",
        "-a URING -O interIODelay=5": "give --rate",
        "--rate=-1": "cannot be negative",
        "--mpiio.useFileView": "POSIX has no file views",
        "--mpiio.useFileView -a MPIIO -D 1": "excludes -F, -z, -D",
        "--distribution=rows": "blocks, interleaved, nested or subarray",
        "--distribution=nested -F": "for shared files",
        "--distribution=nested -a PNETCDF": "takes blocks only",
        "-w -r --read-again": "--drop-caches, -D SECONDS and -O stoneWallingWearOut=1",
        "-w -r --read-again --drop-caches -D 1": "-O stoneWallingWearOut=1",
        "-w -r -D 1 --drop-caches --read-again -O stoneWallingWearOut=1 --rate=10": "excludes --rate",
        "-w -r -D 1 --drop-caches --read-again -O stoneWallingWearOut=1 -a MMAP": "MMAP keeps the pages",
        "-w --dedupe-percentage=10": "with -l controlled",
        "-w --drop-caches -o data": "before a read",
        "-a NULL --drop-caches -o data": "NULL stores nothing",
    },
    "netcdf-bench": {
        "--zstd=3": "--zstd",
        "--quantize=3": "values of type int are whole",
        "--quantize=3 --type=float --verify": "--quantize with --verify",
        "--zstd=3 --format=cdf5": "they need --format=netcdf4",
        "-q": "-q",
        "--bogus": "--bogus",
        "-n=2": "-n=2 -p=1: 1 rank was launched",
        "-n=-1": "must be positive",
        "-d=4:6:8": "3 numbers; the form is t:x:y:z",
        "-d=4:6:8:3:1": "more than four numbers",
        "-d=4:0:8:3": "'0' is not a positive number",
        "-d=4:-6:8:3": "'-6' is not a positive number",
        "-d=4:6:8:3x": "'3x' is not a positive number",
        "-d=9999999999:9999999999:8:3": "more bytes than can be counted",
        "-d=4:6:8:3 -b=1:4:8:3": "the block does not tile what a rank has: x is 6 there, no multiple of 4",
        "-d=4:6:8:3 -b=3:6:8:3": "t is 4 there, no multiple of 3",
        "-d=4:6:8:3 -b=1:12:8:3": "x is 6 there, no multiple of 12",
        "-d=4:6:8:3 -c=3:6:8:3": "no multiple of the chunk's",
        "-d=4:6:8:3 -c=1:7:8:3": "the chunk is larger than the variable: x is 6",
        "-d=2:40000:40000:2 -c=1:40000:40000:1": "below 4 GiB",
        "-t=collx": "-t=collx: the type is ind, coll or file-per-process",
        "-x=table": "-x=table",
        "-u": "HDF5 extends a variable by collective calls only",
        "-u -t=file-per-process": "-u with -t=file-per-process",
        "-z=4": "HDF5 writes compressed chunks by collective calls only",
        "-z=4 -t=file-per-process": "-z or --zstd with -t=file-per-process",
        "-z=10 -t=coll": "the level is 0 to 9",
        "--shuffle -t=coll": "--shuffle needs -z",
        "--format=cdf5 -c=auto": "CDF-5 has no chunks",
        "--format=cdf5 -t=coll -z=1": "CDF-5 has no compression",
        "--format=cdf5 -F -u": "does not fill records",
        "--format=hdf5": "netcdf4 or cdf5",
        "--type=char": "--type=char: the type is one of int, float",
        "--hint=cb_nodes": "--hint=key=value",
        "--iterations=0": "--iterations=0",
        "--wear-out": "needs --stonewall",
        "-r --sync": "give -w",
    },
    "find": {
        "": "a directory to begin with is missing",
        ". -size 4k": "bytes with a c behind them",
        ". -regex x": "unknown option",
        ". -q 2": "at least 10",
        ". -nmae x": "unknown option",
        ". --make-files=2 --make-directories=3": "more than the 2 files",
    },
    "io-model": {
        "": "give -w to write",
        "-w -f zigzag": "-f zigzag: the locality is off0, seq",
        "-w -m rnd9g": "-M 67108864: the locality reaches further",
        "-w -f stride9m -b 8m": "X and Y are at most",
        "-w -n 9 -b 8k": "only 2 operations of 4096 bytes fit",
        "-w -b 1k": "smaller than one operation",
        "-w -t 0": "1 byte to 1 GiB",
        "-w -n 0": "operations",
        "-w -r -f rnd": "leaves holes that -r would read: give --prefill",
        "-w -c uncashed": "did you mean uncached?",
        "-w -c discarded -a MPIIO": "only POSIX",
        "-r -c cached -a NULL": "not in the page cache",
        "-w --direct": "--align 4k",
        "-w -a NULL --verify": "stores nothing",
        "-w --null.eio-at=1": "belongs to -a NULL",
        "-w --device nodev --samples s": "/sys/block/nodev/stat",
        "-w --counters absent --samples s": "absent",
        "-w --counters /proc/vmstat": "need --samples",
        "data 64": "14 or 15",
        "data 64 256 200 0 65536 zigzag seq 0 1 0 R 3 0": "-m zigzag",
        "data 64 256 200 1 65536 seq seq 0 1 0 R 3 0": "the file would be lost",
        "data 64 256 200 0 65536 seq seq 100 1 0 R 3 0": "takes no memory away",
        "data 64 256 200 0 65536 seq seq 0 1 0 X 3 0": "R or W",
        "data 64 256 200 0 64k seq seq 0 1 0 R 3 0": "accessSize '64k'",
        "data 64 256 200 0 65536 seq seq 0 1 0 W 3 0 nodev": "nodev",
    },
    "madbench": {
        "-g 3": "must be multiples of the gangs",
        "64 8 1": "3 numbers in the original's order",
        "64 8 x 1 1 1 1": "NO_GANG 'x': not a whole number",
        "64 8 1 1 1 0 1": "RMOD '0': at least 1",
        "--phases WC": "must be written first",
        "--phases S --verify": "S reads nothing",
        "--block 100": "a multiple of 8",
        "-t 100": "-t 100: a multiple of 8",
        "-a NULL --verify": "stores nothing",
        "--busy 3": "at most 2",
        "-p 100000000 -b 1000000": "more bytes than can be counted",
    },
    "mdtest": {
        "-n 3 -z 2 -b 2": "the tree has 7 directories for them",
        "-n 3 -q": "unknown option -q",
        "-n 3 -c": "-c is not offered: rank 0 creates for all",
        "-n 3 -B=1": "-B is not offered: mdtest 4 itself",
        "-n 3 -S -u": "-S with -u",
        "-n 3 -F -S -w 8 -e 8 -X": "whose bytes stay is chance",
        "-n 3 -k -w 8": "mknod makes an empty file",
        "-n 3 -D -W 1": "no -D",
        "-n 3 -T -W 1": "-C or no phase at all",
        "-n 3 -f 2 -l 1": "from at least 1 rank",
        "-n 3 -l 1 -s 0": "at least one rank more",
        "-n 3 -F -W 1 -z 1": "one directory only",
        "-n 5 -I 2": "no multiple",
        "-n 3 -e 8": "no file has more than the 0 bytes of -w",
        "-n 3 -E -e 8 -X": "needs -G N",
        "-n 3 -d a@b": "'@'",
        "-n 3 -a MPIIO": "no operations on names",
        "-n 3 -a NULL -w 8 -e 8 -X": "stores nothing",
        "-n 3 --null.fail=open": "belongs to -a NULL",
    },
}
LINES = {f"{name} {line}".strip(): phrase for name, table in WRONG.items() for line, phrase in table.items()}
FIRST = [f"{name} {next(iter(table))}".strip() for name, table in WRONG.items()]


def assert_refused(done: Done, line: str) -> None:
    assert done.code == 2
    assert len(done.complaints) == 1
    assert done.complaints[0].startswith(f"weir-io: {line.split()[0]}: ")
    assert LINES[line] in done.complaints[0]
    assert done.out == ""


@pytest.mark.parametrize("line", LINES)
def test_wrong_use_is_refused(together: Together, line: str) -> None:
    done = together(tuple(LINES), documented=False)[line]
    assert_refused(done, line)
    assert {path.name for path in done.folder.iterdir()} == {"stdout.txt", "stderr.txt"}


def test_wrong_use_leaves_no_file(together: Together) -> None:
    launch = together(tuple(LINES), documented=False)[FIRST[0]].folder.parent
    assert {path.name for path in launch.iterdir() if not path.name.startswith("cell-")} == {"list", "status"}


@pytest.mark.parametrize("line", FIRST)
def test_a_launch_of_its_own_ends_alike(engine: Engine, line: str) -> None:
    assert_refused(engine.call(argv(line)), line)
    assert list(engine.folder.iterdir()) == []
