"""Programs that the library may not reach: with rights of their own, or with a root of their own."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bench.prove_programs import prove_command
from tests.needs import USER_NAMESPACE, need, user_mount_namespaces
from tests.programs import ran
from tests.witness.conftest import MIB, Prove
from weir.base.processes import is_the_same
from weir.witness.document import LIBRARY

WRITE = "bs=1M count=8 conv=fsync"


def test_a_program_with_rights_of_its_own_is_unproven(prove: Prove, tmp_path: Path) -> None:
    """The loader takes LD_PRELOAD from setuid programs."""
    if os.geteuid() != 0:
        pytest.skip("only root can make a program of another user")
    program = tmp_path / "dd"
    shutil.copy(shutil.which("dd") or "", program)
    shutil.chown(program, "nobody")
    program.chmod(0o4755)
    (tmp_path / "data").chmod(0o777)
    seen = prove(str(program), "if=/dev/zero", "of=f", *WRITE.split())
    assert "UNPROVEN, no call on any mount was seen" in seen["stderr"]
    assert any("MiB written by calls, in processes" in text for text in seen["not_seen"])


@pytest.mark.parametrize(("is_bound", "is_root"), [(False, False), (True, False), (True, True)])
def test_a_container_is_seen_where_it_has_the_library(
    prove: Prove, tmp_path: Path, is_bound: bool, is_root: bool
) -> None:
    """A mount namespace and a root of its own, as apptainer and podman make them; files of the root, too,
    which as an ordinary directory is in no table of mounts (chroot)."""
    need(user_mount_namespaces)
    root, data = tmp_path / "root", tmp_path / "data"
    linked = ran(["ldd", shutil.which("dd") or ""], check=True)
    for file in [shutil.which("dd") or "", *(word for word in linked.stdout.split() if word[0] == "/")]:
        (root / file[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, root / file[1:])
    (data / "zeros").write_bytes(bytes(8 * MIB))
    binds = [str(data)] + [str(LIBRARY.parent), "/dev/shm", "/proc", "/sys"] * is_bound
    lines = [f"mkdir -p '{root}{path}'; mount --rbind '{path}' '{root}{path}'" for path in binds]
    lines.append(f"exec chroot '{root}' dd if={data}/zeros of={'' if is_root else data}/f {WRITE}")
    options = ("--on", "/") if is_root else ()
    seen = prove(*USER_NAMESPACE, "sh", "-ec", "\n".join(lines), options=options)
    assert ((root if is_root else data) / "f").stat().st_size == 8 * MIB
    called = sum(phase["written_bytes"] for mount in seen["mounts"] for phase in mount["phases"])
    assert called == 8 * MIB * is_bound, seen["stderr"]
    assert any("MiB written by calls, in processes" in text for text in seen["not_seen"]) is not is_bound


MANY_MOUNTS = """
mkdir many; mount -t tmpfs weir-many many
for each in $(seq 300); do mkdir many/$each; mount --bind many/$each many/$each; done
mount -t tmpfs weir-last "$0"; cd "$0"; exec "$@"
"""


def test_the_last_of_many_mounts_is_none_of_the_one_above(prove: Prove, tmp_path: Path) -> None:
    """As on a node with containers, or with a mount for each home directory."""
    need(user_mount_namespaces)
    data = str(tmp_path / "data")
    ahead = (*USER_NAMESPACE, "sh", "-ec", MANY_MOUNTS, data)
    seen = prove("dd", "if=/dev/zero", "of=f", "bs=1M", "count=200", "conv=fsync", ahead=ahead)
    assert [(one["point"], one["source"]) for one in seen["mounts"]] == [(data, "weir-last")], seen["stderr"]
    assert [one["verdict"] for one in seen["claims"]] == ["VALID"], seen["stderr"]


SHOW_LEFT = "echo $! $(cut -d' ' -f22 /proc/$!/stat)"


def end_left(shown: str) -> None:
    """Its id and its start, so that nobody else is ended."""
    pid, ticks = map(int, shown.split())
    assert is_the_same(pid, ticks)
    os.kill(pid, signal.SIGKILL)


def test_what_the_program_leaves_running_is_named(prove: Prove, tmp_path: Path) -> None:
    """As the monitor of a container whose programs the library does not reach."""
    code = f"import os, time; f = os.open('f', 65); os.write(f, bytes({8 * MIB})); os.fsync(f)"
    code += "; open('done', 'w'); time.sleep(600)"
    script = f'env -i "{sys.executable}" -S -c "{code}" & until [ -e done ]; do sleep 0.1; done; {SHOW_LEFT}'
    seen = prove("sh", "-c", script)
    end_left(seen["stdout"])
    assert any("which the program left running" in text for text in seen["not_seen"])
    if any(mount["device"] for mount in seen["mounts"]):
        assert "requested  not seen" in seen["stderr"]


def test_what_was_waited_for_by_a_process_left_running_is_no_contradiction(prove: Prove) -> None:
    """The kernel has the counts of dd at the shell that goes on."""
    write = f"dd if=/dev/zero of=f {WRITE} 2>dd"
    seen = prove(
        "sh",
        "-c",
        f"(sh -c '{write}'; exec sleep 600) & until grep -q copied dd; do sleep 0.1; done; {SHOW_LEFT}",
    )
    end_left(seen["stdout"])
    assert any("which the program left running" in text for text in seen["not_seen"])
    assert not any("nothing is believed" in text for text in seen["not_seen"])
    assert sum(phase["written_bytes"] for mount in seen["mounts"] for phase in mount["phases"]) == 8 * MIB


def test_results_in_one_file_of_both_outputs_are_judged_once(tmp_path: Path) -> None:
    log, (data, seen) = tmp_path / "log", (tmp_path / "data", tmp_path / "seen.json")
    data.mkdir()
    dd = ("dd", "if=/dev/zero", f"of={data}/f", *WRITE.split())
    with log.open("w") as stream:
        subprocess.run([*prove_command(data, seen), *dd], check=True, stdout=stream, stderr=stream)
    assert log.read_text().count("claimed by dd") == 1
