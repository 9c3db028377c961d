"""What people and programs do on a file system; each returns what it saw, or fails as the system reports."""

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

Scenario = Callable[[Path], object]


def mode_of(path: Path) -> str:
    return stat.filemode(path.lstat().st_mode)


def tree(folder: Path) -> list[tuple[str, str, int, int]]:
    found = sorted(folder.rglob("*"))
    return [(str(p.relative_to(folder)), mode_of(p), p.lstat().st_size * p.is_file(), 0) for p in found]


def create_exclusively(d: Path) -> object:
    os.close(os.open(d / "a", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o604))
    first = mode_of(d / "a")
    os.open(d / "a", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    return first


def longest_name(d: Path) -> object:
    (d / ("n" * 255)).write_text("x")
    return tree(d)


def symlink_loop(d: Path) -> object:
    (d / "a").symlink_to("b")
    (d / "b").symlink_to("a")
    return (d / "a").open()


def symlinks(d: Path) -> object:
    (d / "a").write_text("hello")
    (d / "b").symlink_to("a")
    (d / "c").symlink_to("nowhere")
    return (d / "b").read_text(), os.readlink(d / "c"), (d / "c").exists(), mode_of(d / "c"), tree(d)


def hard_links(d: Path) -> object:
    (d / "a").write_text("one")
    os.link(d / "a", d / "b")
    (d / "b").write_text("three")
    counts = [(d / name).stat().st_nlink for name in ("a", "b")]
    (d / "a").unlink()
    return counts, (d / "b").read_text(), (d / "b").stat().st_nlink


def mkdir_twice(d: Path) -> object:
    (d / "a").mkdir(mode=0o705)
    first = mode_of(d / "a")
    with contextlib.suppress(FileExistsError):
        (d / "a").mkdir()
        first = "no error"
    return first


def rename_over(d: Path) -> object:
    (d / "a").write_text("new")
    (d / "b").write_text("older")
    os.rename(d / "a", d / "b")
    return tree(d), (d / "b").read_text()


def rename_a_directory_with_open_files(d: Path) -> object:
    (d / "x/y").mkdir(parents=True)
    with (d / "x/y/f").open("w+b", buffering=0) as f:
        f.write(b"before")
        os.rename(d / "x", d / "z")
        f.write(b" after")
        f.seek(0)
        read = f.read()
    (d / "z/y/g").write_text("more")
    return read, (d / "z/y/f").read_bytes(), tree(d)


def rename_over_an_open_file(d: Path) -> object:
    (d / "old").write_text("old data")
    with (d / "old").open() as f:
        (d / "new").write_text("new data")
        os.rename(d / "new", d / "old")
        return f.read(), (d / "old").read_text(), os.fstat(f.fileno()).st_nlink


def unlink_an_open_file(d: Path) -> object:
    with (d / "a").open("w+b", buffering=0) as f:
        f.write(b"x" * 10_000)
        (d / "a").unlink()
        f.write(b"y" * 10_000)
        f.truncate(15_000)
        status = os.fstat(f.fileno())
        f.seek(9_999)
        return f.read(3), status.st_size, status.st_nlink, tree(d)


def a_new_file_of_an_open_files_name(d: Path) -> object:
    with (d / "a").open("w+b", buffering=0) as old:
        old.write(b"old")
        (d / "a").unlink()
        (d / "a").write_bytes(b"another")
        old.seek(0)
        return old.read(), (d / "a").read_bytes()


def modes(d: Path) -> object:
    (d / "a").touch()
    seen = []
    for mode in (0o000, 0o400, 0o222, 0o4755, 0o1777):
        (d / "a").chmod(mode)
        seen.append(mode_of(d / "a"))
    return seen


def write_to_what_became_read_only(d: Path) -> object:
    with (d / "a").open("wb", buffering=0) as f:
        (d / "a").chmod(0o444)
        f.write(b"still")
    return (d / "a").read_bytes(), mode_of(d / "a")


def times(d: Path) -> object:
    (d / "a").write_text("x")
    os.utime(d / "a", ns=(1_000_000_001, 2_000_000_002))
    first = (d / "a").stat()
    (d / "a").write_text("y")
    second = (d / "a").stat()
    return first.st_atime_ns, first.st_mtime_ns, second.st_mtime_ns > 1_600_000_000_000_000_000


def times_of_later_writes_are_later(d: Path) -> object:
    seen = []
    for i in range(5):
        (d / "a").write_text(str(i))
        seen.append((d / "a").stat().st_mtime_ns)
        time.sleep(0.02)  # more than a tick of any kernel
    return seen == sorted(seen) and len(set(seen)) == 5


def sparse(d: Path) -> object:
    with (d / "a").open("wb") as f:
        f.seek(1 << 30)
        f.write(b"end")
    with (d / "a").open("rb") as f:
        f.seek((1 << 30) - 5)
        return f.read(), (d / "a").stat().st_size


def truncations(d: Path) -> object:
    (d / "a").write_bytes(b"0123456789")
    os.truncate(d / "a", 4)
    os.truncate(d / "a", 8)
    return (d / "a").read_bytes()


def appends_by_two(d: Path) -> object:
    with (d / "a").open("ab", buffering=0) as one, (d / "a").open("ab", buffering=0) as two:
        for i in range(10):
            (one if i % 2 else two).write(bytes([65 + i]) * 3)
    return (d / "a").read_bytes()


def special_files(d: Path) -> object:
    os.mkfifo(d / "fifo", 0o640)
    return tree(d)


def many_names(d: Path) -> object:
    for i in range(700):
        (d / f"name-{i:04d}").touch()
    with os.scandir(d) as entries:
        for i, entry in enumerate(entries):
            if i % 2:
                os.unlink(entry.path)
    return len(os.listdir(d)), sorted(os.listdir(d)) == os.listdir(d) or len(set(os.listdir(d)))


def file_space(d: Path) -> object:
    with (d / "a").open("wb") as f:
        os.posix_fallocate(f.fileno(), 0, 50_000)
    return (d / "a").stat().st_size, (d / "a").read_bytes() == bytes(50_000)


def locks(d: Path) -> object:
    with (d / "a").open("w") as one, (d / "a").open("w") as two:
        fcntl.flock(one, fcntl.LOCK_EX)
        return fcntl.flock(two, fcntl.LOCK_EX | fcntl.LOCK_NB)


def read_from_write_only(d: Path) -> object:
    fd = os.open(d / "a", os.O_CREAT | os.O_WRONLY)
    try:
        return os.read(fd, 1)
    finally:
        os.close(fd)


REFUSED: dict[str, Scenario] = {
    "open a directory for writing": lambda some: os.open(some, os.O_WRONLY),
    "open below a file": lambda some: (some / "file/below").open(),
    "name too long": lambda some: (some / ("n" * 256)).touch(),
    "link to existing": lambda some: os.link(some / "file", some / "other"),
    "link a directory": lambda some: os.link(some / "empty", some / "new"),
    "remove a full directory": lambda some: (some / "full").rmdir(),
    "unlink a directory": lambda some: (some / "empty").unlink(),
    "rmdir a file": lambda some: (some / "file").rmdir(),
    "rename onto a full directory": lambda some: os.rename(some / "empty", some / "full"),
    "rename into itself": lambda some: os.rename(some / "empty", some / "empty/below"),
    "rename file onto directory": lambda some: os.rename(some / "file", some / "empty"),
    "truncate to a negative size": lambda some: os.truncate(some / "file", -1),
}


def with_some(act: Scenario) -> Scenario:
    """What it does in a directory that has some files and directories."""

    def scenario(folder: Path) -> object:
        (folder / "empty").mkdir()
        (folder / "full/below").mkdir(parents=True)
        (folder / "file").touch()
        (folder / "other").touch()
        return act(folder)

    return scenario


SCENARIOS: dict[str, Scenario] = {
    **{
        name: thing
        for name, thing in list(globals().items())
        if getattr(thing, "__annotations__", {}).get("d")
    },
    **{name: with_some(act) for name, act in REFUSED.items()},
}
