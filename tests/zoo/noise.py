"""What another process does beside a measurement: python noise.py ACTION [PATH], until it is killed.

ACTION: compute, read, create, hold, synchronise or flush. hold: every file below FOLDER/*/ is mapped as it
grows, so that its pages cannot be dropped. synchronise: what is mounted at FOLDER and FOLDER/* is written
back (syncfs) 50 times a second. flush: files of FOLDER are written and synchronised all the time."""

import ctypes
import mmap
import os
import sys
import threading
import time
from pathlib import Path

_BYTES = 64 * 2**20
_WRITERS = 8
_LEAST = 2**20  # smaller files are not data


def compute(_: str) -> None:
    os.nice(19)
    while True:
        pass


def read(path: str) -> None:
    Path(path).write_bytes(bytes(_BYTES))
    while True:
        Path(path).read_bytes()
        time.sleep(0.01)


def create(path: str) -> None:
    folder = Path(path)
    folder.mkdir(exist_ok=True)
    while True:
        for number in range(100):
            (folder / str(number)).write_text("small")
        for file in folder.iterdir():
            file.unlink()
        time.sleep(0.01)


def hold(path: str) -> None:
    held: dict[tuple[int, int], tuple[int, list[mmap.mmap]]] = {}
    while True:
        for file in Path(path).glob("*/**/*"):
            try:
                _hold(file, held)
            except (OSError, ValueError):
                continue  # it has gone or is empty
        time.sleep(0.002)


def synchronise(path: str) -> None:
    library = ctypes.CDLL(None)
    while True:
        places = {Path(path).stat().st_dev: path}
        places |= {place.stat().st_dev: str(place) for place in Path(path).iterdir() if place.is_dir()}
        for place in places.values():
            folder = os.open(place, os.O_RDONLY)
            library.syncfs(folder)
            os.close(folder)
        time.sleep(0.02)


def flush(path: str) -> None:
    def write(number: int) -> None:
        file = os.open(Path(path) / f"flushed-{number}", os.O_CREAT | os.O_WRONLY | os.O_DSYNC)
        while True:
            os.pwrite(file, b"a block of a database", 0)

    for number in range(_WRITERS):
        threading.Thread(target=write, args=(number,)).start()


def _hold(file: Path, held: dict[tuple[int, int], tuple[int, list[mmap.mmap]]]) -> None:
    facts = file.stat()
    if not file.is_file() or facts.st_size < _LEAST:
        return
    key = facts.st_dev, facts.st_ino
    size, maps = held.get(key, (0, []))
    if facts.st_size <= size:
        return
    with file.open("rb") as stream:
        view = mmap.mmap(stream.fileno(), facts.st_size, mmap.MAP_SHARED | mmap.MAP_POPULATE, mmap.PROT_READ)
    held[key] = facts.st_size, [*maps, view]


if __name__ == "__main__":
    actions = {"compute": compute, "read": read, "create": create, "hold": hold}
    actions |= {"synchronise": synchronise, "flush": flush}
    actions[sys.argv[1]](" ".join(sys.argv[2:]))
