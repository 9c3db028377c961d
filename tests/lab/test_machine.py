"""What was started in a machine ends with it, however it ends."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.__main__ import main
from tests.lab.filesystem import FileSystem, file_systems, up
from tests.lab.machine import ROOT, LabError, Machine
from tests.needs import lab_machine, need
from tests.programs import ran
from tests.workflow.processes import until


@pytest.fixture
def folder() -> Iterator[Path]:
    need(lab_machine)
    (ROOT / "build").mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="lab-test-", dir=ROOT / "build"))
    yield folder
    Machine(folder).stop()


def alive(processes: list[int]) -> list[int]:
    return [pid for pid in processes if Path(f"/proc/{pid}").exists()]


def have_ended(processes: list[int]) -> bool:
    """The kernel takes its time on a busy machine."""
    return until(lambda: alive(processes) == [], 30)


def test_nothing_is_left_of_what_was_started(folder: Path, tmp_path: Path) -> None:
    machine = Machine(folder)
    written = tmp_path / "written by a server"
    written.mkdir()
    machine.start([str(written)])
    machine.out(
        "sh", "-c", "mkdir /mnt/made && mount -t tmpfs made /mnt/made && touch /mnt/made/file /var/tmp/lab"
    )
    machine.out("touch", written / "file")
    machine.out("setsid", "--fork", "sleep", "600")
    processes = list(machine.processes())
    assert len(processes) == 2
    # Others mount meanwhile: its own mounts are what must not be seen.
    mounts = Path("/proc/self/mounts").read_text()
    assert "/mnt/made" not in mounts
    assert str(folder) not in mounts
    assert not any(file.exists() for file in (written / "file", Path("/var/tmp/lab")))
    machine.stop()
    assert have_ended(processes)
    assert not folder.exists()


def test_its_network_is_its_own(folder: Path) -> None:
    machine = Machine(folder)
    machine.start()
    assert machine.out("sh", "-c", "ls /sys/class/net; cat /proc/net/route").count("lab0") >= 1
    assert "lab0" not in Path("/proc/net/dev").read_text()


def test_a_failed_start_leaves_nothing_and_says_which_file_system(folder: Path) -> None:
    def start(machine: Machine) -> None:
        machine.out("setsid", "--fork", "sleep", "601")
        machine.out("sh", "-c", "echo no disk >&2; exit 3")

    broken = FileSystem("broken", "fails", (), start)
    with pytest.raises(LabError, match=r"(?s)broken does not start: .*exit code 3.no disk"):
        up(folder, [broken])
    assert not folder.exists()
    assert ran(["pgrep", "-f", "^sleep 601$"]).stdout == ""


def test_a_caller_that_is_killed_takes_the_machine_with_it(folder: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from tests.lab.machine import Machine\n"
        "machine = Machine(Path(sys.argv[1])); machine.start(ends_with_caller=True)\n"
        "print(machine.pid(), flush=True); time.sleep(600)"
    )
    arguments = [sys.executable, "-c", program, str(folder)]
    with subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, text=True) as caller:
        assert caller.stdout is not None
        pid = int(caller.stdout.readline())
        assert alive([pid]) == [pid]
        caller.send_signal(signal.SIGKILL)
    assert have_ended([pid])


def test_a_pid_that_belongs_to_another_process_now_is_not_killed(folder: Path) -> None:
    (folder / "pid").write_text(f"{os.getpid()} 1\n")
    Machine(folder).stop()
    assert not folder.exists()


def test_each_file_system_has_its_targets_in_the_site() -> None:
    declared = {file.stem for file in (ROOT / "config/sites/storage-lab/targets").glob("*.yaml")}
    assert {target for each in file_systems().values() for target in each.targets} == declared


def test_names_may_follow_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    """As make lab gives them."""
    assert main(["measure", "--suites", "quick", "glusterfs", "nosuchfs"]) == 1
    assert (
        "lab: nosuchfs: no such file system; known: cephfs, cephfs-kernel, glusterfs"
        in capsys.readouterr().err
    )
