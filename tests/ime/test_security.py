"""What another user, or a path, must not reach."""

import errno
import os
import shutil
import stat
from pathlib import Path

import pytest

from tests.ime.conftest import MEMORY, Start, Store, StoreMaker
from tests.ime.pool import Helper, Launch
from tests.needs import device_nodes, fuse, mount_namespaces, need
from tests.programs import ran

NOBODY = 65534


def as_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root acts as another user")


def test_allow_other_is_refused_as_root(make_store: StoreMaker, tmp_path: Path) -> None:
    as_root()
    done = make_store().program("ime-fuse", "--allow-other", tmp_path, check=False)
    assert done.returncode == 2
    assert "mount as another user" in done.stderr


# In a mount namespace of its own, where /dev/fuse is open to an ordinary user, who mounts and writes.
SET_USER_ID = """
set -eu
cd "$1"
mknod fuse c 10 229
chmod 666 fuse
mount --bind fuse /dev/fuse
user="setpriv --reuid=65534 --regid=65534 --clear-groups"
$user ./ime-fuse --config ime.conf --foreground mount &
server=$!
for i in $(seq 1000); do
    ! grep -q " $1/mount fuse" /proc/self/mounts || break
    sleep 0.05
done
$user sh -c 'echo one >mount/a && chmod 6755 mount/a && stat -c %a mount/a'
$user sh -c 'echo two >>mount/a && stat -c %a mount/a'
kill $server
wait $server || true
"""


def test_a_write_clears_the_set_user_id_bit(programs: Path, readable_files: None) -> None:
    as_root()
    need(mount_namespaces, device_nodes, fuse)
    if not (programs / "ime-fuse").exists():
        pytest.skip("ime-fuse is not built: libfuse3-dev is not installed")
    folder = Path("/var/tmp") / f"weir-suid-{os.getpid()}"
    folder.mkdir(mode=0o755)
    try:
        (folder / "mount").mkdir()
        shutil.copy(programs / "ime-fuse", folder)
        shutil.copy(programs / "imectl", folder)
        store = Store(folder, folder)
        store.config.write_text(
            f"fast = {folder}/fast\nbacking = {folder}/backing\ncapacity = 1 MiB\ndrain = manual\n"
        )
        os.chown(folder, NOBODY, NOBODY)
        os.chown(folder / "mount", NOBODY, NOBODY)
        user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        create = [*user, folder / "imectl", "create"]
        ran(create, check=True, env=store.environment)
        done = ran(["unshare", "--mount", "sh", "-c", SET_USER_ID, "sh", folder], timeout=60)
        assert done.stdout.split() == ["6755", "755"], done.stderr
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize(
    "name",
    [
        "ime://../outside",
        "ime://inside/../../outside",
        "ime://away",
        "ime://away-relative",
        "ime://./.weir-ime/{link}",
        "ime://inside/../.weir-ime/{link}",
        "ime://.weir-ime/../.weir-ime/{link}",
        "ime://links/{link}",
    ],
)
def test_paths_stay_in_the_backing(name: str, start: Start, make_store: StoreMaker) -> None:
    store = make_store()
    native = start(store)
    (store.folder / "outside").write_text("secret")
    (store.backing / "inside").mkdir()
    (store.backing / "away").symlink_to(store.folder / "outside")
    (store.backing / "away-relative").symlink_to("../outside")
    (store.backing / "links").symlink_to(".weir-ime")
    fd = native.open(b"ime://inside/file", os.O_CREAT | os.O_RDWR, 0o600)
    native.pwrite(fd, b"data", 4, 0)
    (link,) = (store.backing / ".weir-ime").iterdir()
    path = name.format(link=link.name).encode()
    for act in (
        lambda: native.open(path, os.O_RDONLY, 0),
        lambda: native.open(path, os.O_RDWR | os.O_CREAT, 0o600),
        lambda: native.access(path, os.R_OK),
        lambda: native.stat(path, bytes(256)),
    ):
        with pytest.raises(OSError) as raised:  # noqa: PT011  the error number is looked at below
            native.close(act())
        assert raised.value.errno in {errno.EXDEV, errno.ENOENT, errno.EACCES}
    if not name.startswith("ime://away"):  # removing a link itself is as good as any other name
        with pytest.raises(OSError):  # noqa: PT011
            native.unlink(path)
    assert (store.folder / "outside").read_text() == "secret"
    assert link.exists()
    native.close(fd)


def test_links_inside_the_backing_are_followed(start: Start, make_store: StoreMaker) -> None:
    store = make_store()
    native = start(store)
    (store.backing / "a").mkdir()
    (store.backing / "b").symlink_to("a")
    fd = native.open(b"ime://b/../a/./file", os.O_CREAT | os.O_RDWR, 0o600)
    native.pwrite(fd, b"data", 4, 0)
    other = native.open(b"ime://b/file", os.O_RDONLY, 0)
    assert native.contents(other, 4) == b"data"
    native.close(other)
    native.close(fd)
    native.unlink(b"ime://b/file")
    assert list((store.backing / "a").iterdir()) == []


def refused_folder(kind: str, folder: Path, victim: Path) -> None:
    """What another user may have put where the directory of ours is expected."""
    if kind == "link":
        victim.mkdir(mode=0o700)
        folder.symlink_to(victim)
    else:
        as_root()
        folder.mkdir(mode=0o777)
        os.chown(folder, NOBODY, NOBODY)


@pytest.mark.parametrize("kind", ["link", "owner"])
def test_a_fast_tier_that_somebody_else_made_is_refused(
    kind: str, make_store: StoreMaker, tmp_path: Path
) -> None:
    store = make_store()
    store.imectl("destroy")
    refused_folder(kind, store.fast, tmp_path / "victim")
    assert "safe from other users" in store.refused("create")
    assert kind != "link" or list((tmp_path / "victim").iterdir()) == []
    if kind == "link":
        store.fast.unlink()


def test_a_planted_control_file_is_not_written(make_store: StoreMaker, tmp_path: Path) -> None:
    """The name of the temporary file can be guessed: it is made anew or not at all."""
    store = make_store()
    store.imectl("destroy")
    store.fast.mkdir(mode=0o700)
    victim = tmp_path / "victim"
    victim.write_text("precious")
    arguments = [
        "sh",
        "-c",
        f'ln -s {victim} {store.fast}/control.$$ && exec "$0" create',
        store.programs / "imectl",
    ]
    done = store.run(*arguments, check=False)
    assert done.returncode == 1
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("kind", ["link", "owner", "file"])
def test_a_planted_pool_is_refused(kind: str, helper: Helper, launch: Launch, tmp_path: Path) -> None:
    pool = Path(os.environ.get("WEIR_POOL_DIR", MEMORY / f"weir-pool-trap-{os.getpid()}"))
    victim = tmp_path / "victim"
    folder = victim
    if kind == "file":
        victim.touch()
        pool.mkdir(mode=0o700)
        (pool / "file.h5").symlink_to(victim)
    else:
        refused_folder(kind, pool, folder)
    try:
        done = launch(helper("pool_hdf5", "hdf5-openmpi"), 1, "xpd:file.h5", pool=pool)
        assert done.returncode != 0
        if kind == "file":
            assert victim.stat().st_size == 0
        else:
            assert "weir-pool:" in done.stderr
            assert not (victim / "file.h5").exists()
    finally:
        if pool.is_symlink():
            pool.unlink()
        else:
            shutil.rmtree(pool)


def test_the_pool_is_private(helper: Helper, launch: Launch, tmp_path: Path) -> None:
    pool = MEMORY / f"weir-pool-made-{os.getpid()}"
    try:
        assert launch(helper("pool_model", None), 1, tmp_path / "ordinary", 1, 1, pool=pool).returncode == 0
        assert stat.S_IMODE(pool.stat().st_mode) == 0o700
    finally:
        shutil.rmtree(pool)
