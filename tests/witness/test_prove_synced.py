"""weir prove: which written bytes count as synchronised, whoever of a process synchronises them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import USER_NAMESPACE, need, user_mount_namespaces
from tests.witness.conftest import need_library
from weir.prove.mounts import Mount, mounts_of
from weir.prove.reports import prove_variables, read_reports

MIB = 2**20

START = f"""
import os
part = bytes({MIB})
def opened(name="f", flags=os.O_CREAT | os.O_WRONLY):
    return os.open(name, flags)
"""
CASES = {
    "another descriptor": (
        2,
        2,
        "a, b = opened(), opened(); os.write(a, part), os.write(b, part), os.fsync(b)",
    ),
    "a descriptor after the close": (
        1,
        1,
        "a = opened(); os.write(a, part), os.close(a); os.fsync(opened())",
    ),
    "a copy of the descriptor": (1, 1, "a = opened(); os.write(a, part); os.fsync(os.dup(a))"),
    "one for reading": (1, 1, "a = opened(); os.write(a, part); os.fsync(opened(flags=os.O_RDONLY))"),
    "another file": (1, 2, "a, b = opened(), opened('g'); os.write(a, part), os.write(b, part), os.fsync(b)"),
    "a file with the number of one that was removed": (
        1,
        5,
        "for _ in range(4): a = opened(); os.write(a, part), os.close(a), os.unlink('f')\n"
        "a = opened(); os.write(a, part), os.fsync(a)",
    ),
    "twice": (1, 1, "a = opened(); os.write(a, part), os.sync(), os.fsync(a), os.fsync(opened())"),
    "by RWF_DSYNC": (1, 2, "a = opened(); os.pwritev(a, [part], 0, os.RWF_DSYNC), os.write(a, part)"),
    "by RWF_SYNC": (1, 1, "a = opened(); os.pwritev(a, [part], 0, os.RWF_SYNC)"),
    "by RWF_DSYNC and then": (1, 1, "a = opened(); os.pwritev(a, [part], 0, os.RWF_DSYNC); os.fsync(a)"),
    "in a child of a fork": (
        1,
        3,
        "a = opened(); os.write(a, part), os.write(a, part)\n"
        "if os.fork(): os.wait()\nelse: os.write(a, part), os.fsync(a)",
    ),
    "after a pause": (
        1,
        2,
        "import time; a, b = opened(), opened('g'); os.write(a, part); time.sleep(1.1)\n"
        "os.write(b, part); os.fsync(a), os.fsync(b)",
    ),
    "after waits of more than 1 s, while another process writes": (
        7,
        7,
        "import time; a = opened(); waits = 1.1 if os.fork() else 0.55\n"
        "for _ in range(2 if waits > 1 else 4): os.write(a, part); time.sleep(waits)\n"
        "if waits < 1: os.write(a, part); time.sleep(waits)\n"
        "os.fsync(a)\nif waits > 1: os.wait()",
    ),
}


def seen(folder: Path, *program: str) -> list[Mount]:
    """What the program did in a directory of its own."""
    need_library()
    data = folder / "data"
    data.mkdir(exist_ok=True)
    variables = prove_variables(folder, data, "")
    subprocess.run(program, cwd=data, env={**os.environ, **variables}, check=True, timeout=60)
    return mounts_of(read_reports(folder)[0])


@pytest.mark.parametrize("case", CASES)
def test_what_a_synchronisation_covers(tmp_path: Path, case: str) -> None:
    synced, written, code = CASES[case]
    mounts = seen(tmp_path, sys.executable, "-S", "-c", START + code)
    assert [sum(one.sum(name) for one in mounts) for name in ("synced_bytes", "written_bytes")] == [
        synced * MIB,
        written * MIB,
    ]


def test_what_was_written_before_a_pause_is_synchronised_late(tmp_path: Path) -> None:
    code = "import time; a = opened(); os.write(a, part); time.sleep(1.1); os.fsync(a)"
    (mount,) = seen(tmp_path, sys.executable, "-S", "-c", START + code)
    write, late = mount.phases
    assert (write.written_bytes, write.synced_bytes, late.synced_bytes) == (MIB, 0, 0)
    assert (late.synced_earlier_bytes, late.synced_from_ns) == (MIB, write.began_ns)


def test_another_mount_of_a_file_has_none_of_its_bytes(tmp_path: Path) -> None:
    need(user_mount_namespaces)
    code = "a = opened(); os.write(a, part); os.fsync(opened('../f', os.O_RDONLY))"
    script = 'mkdir -p other && mount --bind . other && cd other && exec "$@"'
    mounts = seen(
        tmp_path, *USER_NAMESPACE, "sh", "-ec", script, "-", sys.executable, "-S", "-c", START + code
    )
    assert len(mounts) == 2
    assert sum(one.sum("written_bytes") for one in mounts) == MIB
    assert sum(one.sum(name) for one in mounts for name in ("synced_bytes", "synced_earlier_bytes")) == 0


@pytest.mark.parametrize(
    ("code", "own_bytes"),
    [
        ("a = opened(flags=os.O_TRUNC | os.O_WRONLY); os.write(a, part), os.fsync(a)", 0),
        ("os.unlink('f'); a = opened(); os.write(a, part), os.fsync(a)", 0),
        ("os.system('rm f'); a = opened(); os.write(a, part), os.fsync(a)", 0),
        ("a = opened('g'); os.write(a, part), os.ftruncate(a, 0), os.fsync(a)", MIB),
    ],
)
def test_what_was_not_stored_before_the_program_is_not_withdrawn_by_it(
    tmp_path: Path, code: str, own_bytes: int
) -> None:
    """`dd of=f` again, while the pages of the first one are in memory."""
    earlier = tmp_path / "data/f"
    earlier.parent.mkdir()
    earlier.write_bytes(bytes(MIB))
    (mount,) = seen(tmp_path, sys.executable, "-S", "-c", START + code)
    (phase,) = mount.phases
    if phase.growth.cancelled_bytes is None:
        pytest.skip(f"{mount.file_system} does not count what is taken away again")
    assert phase.growth.cancelled_bytes == own_bytes
