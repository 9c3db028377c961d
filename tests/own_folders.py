"""Folders of tests in directories of all users, named after the process that deletes them and its namespace:
what a test that was killed has left, the next one of the same user removes.

python -m tests.own_folders removes it now.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.workflow.processes import kill, processes_below
from weir.base.processes import is_the_same, started

PLACES = (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"))
# A process of another namespace, as of a container that shares /dev/shm, is not to be found here.
_SPACE = os.stat("/proc/self/ns/pid").st_ino % 10_000  # they are counted up; paths of sockets are short
_NAME = re.compile(rf"weir-[a-z]+-{_SPACE}-(\d+)-(\d+)-\w+")


def own_folder(kind: str, place: Path = PLACES[0]) -> Path:
    """A new one."""
    remove_left(place)
    prefix = f"weir-{kind}-{_SPACE}-{os.getpid()}-{started(os.getpid())}-"
    return Path(tempfile.mkdtemp(prefix=prefix, dir=place))


def remove_left(place: Path) -> None:
    """What those of dead processes hold."""
    for folder in place.iterdir():
        owner = _NAME.fullmatch(folder.name)
        if owner and not is_the_same(int(owner[1]), int(owner[2])) and folder.stat().st_uid == os.geteuid():
            remove(folder)


def remove(folder: Path) -> None:
    """With the processes that name it and the mounts below it."""
    kill([int(line.split()[0]) for line in processes_below(folder)])
    for line in Path("/proc/mounts").read_text().splitlines():
        if line.split()[1].startswith(f"{folder}/"):
            subprocess.run(["umount", "-l", line.split()[1]], capture_output=True, check=False)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    for each in PLACES:
        remove_left(each)
