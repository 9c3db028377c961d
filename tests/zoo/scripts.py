"""Scripts that stand for a program or a launcher."""

from tests.zoo.animals import (
    BEST_OF_FOUR,
    ONE_PROCESSOR,
    OVERWRITTEN,
    OWN_BINDING,
    OWN_MOUNTS,
    QUICK_PRINT,
    RANKS_GROUPED,
    RANKS_LIMITED,
    RANKS_THROTTLED,
    WRITER_OF_JOB,
)

# The last argument is the file; the launch of weir that only counts ranks writes nothing. By the script's
# name weir takes weir-io for IOR and requests IOR's JSON: the document with the evidence goes into its file.
OVERWRITES = """\
#!/bin/bash
case "$OMPI_COMM_WORLD_RANK $*" in "0 "*/data) head -c 128M /dev/urandom >"${{@: -1}}" && sync ;; esac
for word in "$@"; do case $word in summaryFile=*) document=${{word#*=}} ;; esac; done
[ "$1" != ior ] || [ -z "$document" ] || set -- "$@" --json="$document"
exec "{program}" "$@" -E
"""
QUICK_PRINTS = """\
#!/bin/bash
"{program}" "$@" || exit
for summary in "$@"; do case "$summary" in summaryFile=*) summary=${{summary#*=}} ;; *) continue ;; esac
    [ "$OMPI_COMM_WORLD_RANK" = 0 ] && "{python}" - "$summary" <<'END'
import pathlib, re, sys
file = pathlib.Path(sys.argv[1])
def lie(match):
    value = float(match[2])
    return f"{{match[1]}}{{value / 3 if 'Time' in match[1] else 3 * value:.4f}}"
file.write_text(re.sub(r'("(?:\\w+Time|bwMiB|iops)": )([0-9.]+)', lie, file.read_text()))
END
done
exit 0
"""
FOUR_TIMES = """\
#!/bin/bash
for n in 1 2 3; do {launcher} "$@" >/dev/null || exit; done
exec {launcher} "$@"
"""
# As a container does: weir sees the disk at the same path. The image goes with the namespace.
MOUNTS = """\
#!/bin/bash
truncate -s 512M {image} && PATH=$PATH:/usr/sbin:/sbin mkfs.ext4 -q -F {image} || exit
exec unshare --mount bash -c 'folders=$(find {place} -type d) && mount -o loop {image} {place} &&
    mkdir -p $folders && exec {launcher} "$@"' - "$@"
"""
# The honest twin: another mount of the same directory.
BINDS = """\
#!/bin/bash
exec unshare --mount bash -c 'mount --bind {place} {place} && exec {launcher} "$@"' - "$@"
"""
# As srun and containers do: weir itself is in another control group.
OWN_GROUP = """\
#!/bin/bash
echo $$ >{place} && exec {launcher} "$@"
"""
BOUND = """\
#!/bin/bash
exec taskset -c 0 {launcher} "$@"
"""
# The job has a process beside its ranks.
WRITES_BESIDE = """\
#!/bin/bash
for n in {{1..1000}}; do
    dd if=/dev/zero of="$(dirname {place})/beside" bs=4M count=64 oflag=direct conv=notrunc 2>/dev/null
done &
{launcher} "$@"
code=$?
kill $! && wait $!
exit $code
"""
LAUNCHERS = {BEST_OF_FOUR: FOUR_TIMES, OWN_MOUNTS: MOUNTS, ONE_PROCESSOR: BOUND}
LAUNCHERS |= {OWN_BINDING: BINDS, WRITER_OF_JOB: WRITES_BESIDE}
LAUNCHERS |= dict.fromkeys((RANKS_LIMITED, RANKS_THROTTLED, RANKS_GROUPED), OWN_GROUP)
BY_NAME = {OVERWRITTEN: OVERWRITES, QUICK_PRINT: QUICK_PRINTS}
