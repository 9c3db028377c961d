"""Animals of `weir prove`, each beside its honest twin."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.compiled import shared_library
from tests.needs import fuse, loop_devices, mounts, need
from tests.programs import ran
from tests.witness.watched import is_built
from tests.zoo.animals import COMPRESSING, DIRECT_LOOP, DISK_OVERLAY, RANKS_LIMITED, RANKS_THROTTLED, VOLATILE
from tests.zoo.errors import skips_unstaged
from tests.zoo.keeper import ENGINE
from tests.zoo.proven import Proven, clean, passed_through, proven
from tests.zoo.quiet_faults import filter_program
from tests.zoo.staging import in_group, mounted, repeated

pytestmark = [pytest.mark.slow, is_built]
# The original mdtest, else weir-io as it.
MDTEST = [os.environ["MDTEST"]] if "MDTEST" in os.environ else [str(ENGINE), "mdtest"]
DD = "dd if=/dev/zero bs=1M count=32 conv=fsync of={place}/f"
STATIC_WRITER = """\
#include <fcntl.h>
#include <unistd.h>
static char part[1 << 20];
int main(int count, char **names) {
    int file = open(names[count - 1], O_CREAT | O_WRONLY, 0600);
    for (int i = 0; i < 8; i++) {
        if (write(file, part, sizeof part) != sizeof part) return 1;
    }
    return fsync(file);
}
"""
FIO = "fio --name=j --directory={place} --size=32m --bs=256k --rw=write --end_fsync=1"


def only(found: list[Proven]) -> Proven:
    (one,) = found
    return one


@pytest.mark.parametrize("source", ["{stored}", "src:u"])  # as bindfs and mergerfs give themselves
@pytest.mark.parametrize("command", [DD, FIO, f"{FIO} --ioengine=mmap", f"{FIO} --ioengine=io_uring"])
def test_an_honest_write_through_fuse_accuses_nobody(tmp_path: Path, source: str, command: str) -> None:
    """Whether this kernel counts writes to FUSE or not; a source with a colon names no server."""
    need(fuse)
    arguments = command.format(place=tmp_path / "place").split()
    if not shutil.which(arguments[0]):
        pytest.skip(f"{arguments[0]} is missing")
    with skips_unstaged(), passed_through(tmp_path, tmp_path / "place", source):
        seen = only(clean(lambda: proven(arguments, tmp_path)))
    assert not seen.of_itself, seen.text
    assert "stored" in seen.missing or seen.verdict == "VALID" or seen.findings, seen.text
    if source != "src:u" and arguments[0] == "dd":
        # The device below has it, unless others wrote to it many times as much meanwhile.
        assert "stored" not in seen.missing or "others-on-device" in seen.findings, seen.text


@pytest.mark.parametrize(
    ("limit", "command", "rule"),
    [
        (RANKS_LIMITED, "dd if=/dev/zero bs=4M count=64 oflag=direct of={place}/f", "device-limited"),
        (RANKS_THROTTLED, "dd if=/dev/zero bs=64K count=2048 conv=fsync of={place}/f", "machine-busy"),
    ],
)
def test_a_program_in_a_control_group_of_its_own_has_its_limits(
    tmp_path: Path, limit: str, command: str, rule: str
) -> None:
    """weir prove itself is in another one, or in the same."""
    arguments = command.format(place=tmp_path).split()
    free = only(clean(lambda: proven(arguments, tmp_path)))
    assert rule not in free.findings, free.text
    with skips_unstaged(), in_group((limit,), tmp_path.name, tmp_path) as processes:
        enter = ["sh", "-c", f'echo $$ >{processes} && exec "$@"', "sh"]
        seen = only(proven([*enter, *arguments], tmp_path))
    assert rule in seen.findings, seen.text


@pytest.mark.parametrize("form", ["--output-format=json", "--output-format=normal"])
def test_synchronisations_of_each_write_that_do_nothing(tmp_path: Path, form: str) -> None:
    """The one at the end cleans the pages, and the device has all bytes."""
    if not shutil.which("fio"):
        pytest.skip("fio is missing")
    source = Path(__file__).with_name("quiet_series.c")
    quiet = shared_library(tmp_path / "quiet.so", source, "-Wall", "-Werror")
    fio = f"fio --name=j --directory={tmp_path} --size=2m --bs=4k --rw=write --fdatasync=1 --end_fsync=1"
    arguments = [*fio.split(), form]
    honest = only(clean(lambda: proven(arguments, tmp_path)))
    assert not honest.of_itself, honest.text
    lies = only(proven(arguments, tmp_path, {"LD_PRELOAD": str(quiet)}))
    assert "syncs-not-at-device" in lies.findings, lies.text


@pytest.mark.parametrize("how", ["preloaded", "filtered"])
def test_synchronisations_of_each_file_that_do_nothing_before_one_of_all(tmp_path: Path, how: str) -> None:
    """-Y cleans all pages within the time of the creation."""
    arguments = [*MDTEST, *f"-n 200 -d {tmp_path}/files -C -F -w 4096 -y -Y".split()]
    honest = only(clean(lambda: proven(arguments, tmp_path)))
    assert not honest.of_itself, honest.text
    shutil.rmtree(tmp_path / "files")
    if how == "filtered":
        lies = only(proven([str(filter_program(tmp_path)), *arguments], tmp_path))
    else:
        library = shared_library(tmp_path / "library.so", Path(__file__).with_name("shims.c"))
        shim = {"LD_PRELOAD": str(library), "WEIR_ZOO": "no-op-fsync", "WEIR_ZOO_PATH": "file.mdtest"}
        lies = only(proven(arguments, tmp_path, shim))
    assert {"syncs-not-at-device", "files-not-synchronised"} & {*lies.findings}, lies.text


@pytest.mark.parametrize("more", ["", "-Y"])
def test_synchronisations_of_each_file_that_do_nothing_beside_those_of_others(
    tmp_path: Path, more: str
) -> None:
    """The disk is flushed often enough: the pages of a file tell, right after it was synchronised."""
    arguments = [*MDTEST, *f"-n 200 -d {tmp_path}/files -C -F -w 4096 -y {more}".split()]
    # Another process of the machine, whose synchronisations empty the cache of the disk all the time.
    beside = f"dd if=/dev/zero of={tmp_path}/beside bs=512 count=4000 oflag=dsync"
    with repeated(beside.split()):
        honest = only(clean(lambda: proven(arguments, tmp_path)))
        shutil.rmtree(tmp_path / "files")
        lies = only(proven([str(filter_program(tmp_path)), *arguments], tmp_path))
    assert not honest.of_itself, honest.text
    assert "files-not-synchronised" in lies.findings, lies.text


def test_a_synchronisation_that_does_nothing_beside_one_that_does(tmp_path: Path) -> None:
    """The disk has the bytes of the one; each process is judged by itself."""
    quiet = f"{filter_program(tmp_path)} {DD.format(place=tmp_path)}"
    lies = proven(["sh", "-c", f"{quiet}; {DD.format(place=tmp_path)}2"], tmp_path)
    assert [one for one in lies if "sync-left-dirty-pages" in one.findings], lies[0].text
    assert not [one for one in lies if one.verdict == "VALID"], lies[0].text


def test_synchronised_writes_of_one_program_on_two_mounts(tmp_path: Path) -> None:
    """Each is stored, and the kernel's count of the process is of both."""
    need(loop_devices, mounts)
    (tmp_path / "work").mkdir()
    writes = "; ".join(DD.format(place=tmp_path / name) for name in ("here", "there"))
    (tmp_path / "here").mkdir()
    with skips_unstaged(), mounted(DIRECT_LOOP, tmp_path / "there", tmp_path / "work", tmp_path):
        found = clean(lambda: proven(["sh", "-c", writes], tmp_path))
    assert len(found) == 2
    for one in found:
        assert not one.of_itself, one.text
        assert not one.missing, one.text


THREADS = r"""
import os, sys, threading, time
threading.Thread(target=threading.Event().wait, daemon=True).start()
file, block = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY), os.urandom(1 << 20)
began = time.monotonic()
for _ in range(32):
    os.write(file, block)
os.fsync(file)
lasted = time.monotonic() - began
rate = (32 << 20) / lasted / 1e6
print(f"32+0 records in\n32+0 records out\n{32 << 20} bytes copied, {lasted:.6f} s, {rate:.1f} MB/s")
os.sync()
"""


def test_a_synchronisation_of_one_of_several_threads_that_does_nothing(tmp_path: Path) -> None:
    """The system has written all back before the program ends."""
    command = [sys.executable, "-c", THREADS]
    honest = clean(lambda: proven([*command, str(tmp_path / "f")], tmp_path))
    lies = proven([str(filter_program(tmp_path)), *command, str(tmp_path / "f")], tmp_path)
    assert not only(honest).of_itself, honest[0].text
    assert "sync-left-dirty-pages" in only(lies).findings, lies[0].text


def test_a_mount_that_ignores_synchronisations(tmp_path: Path) -> None:
    """Also where another user of the disk makes up for the bytes that did not reach it."""
    need(mounts)
    found = {}
    for kind in (DISK_OVERLAY, VOLATILE):
        place, work = tmp_path / kind, tmp_path / f"{kind}-work"
        place.mkdir()
        work.mkdir()
        with skips_unstaged(), mounted(kind, place, work, tmp_path):
            found[kind] = only(clean(lambda place=place: proven(DD.format(place=place).split(), place)))
    assert not found[DISK_OVERLAY].of_itself, found[DISK_OVERLAY].text
    assert "mount-without-synchronisation" in found[VOLATILE].findings, found[VOLATILE].text


def test_what_was_compressed_before_is_no_cache(tmp_path: Path) -> None:
    """A btrfs that is mounted without compression has files from when it was with it."""
    need(loop_devices, mounts)
    place, work = tmp_path / "place", tmp_path / "work"
    work.mkdir()
    file = place / "file"
    with skips_unstaged(), mounted(COMPRESSING, place, work, tmp_path):
        file.write_bytes(bytes(32 << 20))
        os.sync()
        subprocess.run(["mount", "-o", "remount,compress=no", place], check=True)

        def read(*options: str) -> Proven:
            with file.open("rb") as stream:
                os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            return only(proven(["dd", f"if={file}", "of=/dev/null", "bs=1M", *options], tmp_path))

        cold = [only(clean(lambda how=how: [read(*how)])) for how in ((), ("iflag=direct",))]
    for one in cold:
        assert not one.of_itself, one.text
        assert one.missing == ("fetched",), one.text


def test_a_synchronised_write_beside_one_that_is_not(tmp_path: Path) -> None:
    """The slower one of two processes is the slower one of their results."""
    quick = f"dd if=/dev/zero bs=1M count=32 of={tmp_path}/g"
    slow = f"{DD.format(place=tmp_path)}; true"
    found = clean(lambda: proven(["sh", "-c", f"{slow} & {quick}; wait"], tmp_path))
    assert len(found) == 2
    assert not any(one.missing or one.of_itself for one in found), found[0].text
    assert sum("not-synchronised" in one.notes for one in found) == 1, found[0].text
    quiet = f"{filter_program(tmp_path)} {DD.format(place=tmp_path)}"
    lies = proven(["sh", "-c", f"{quiet} & {quick}; wait"], tmp_path)
    assert all("not-synchronised" in one.notes or one.of_itself for one in lies), lies[0].text


AS_ANOTHER_USER = {
    "setpriv": (
        "setpriv --reuid=65534 --clear-groups {command}",
        "setpriv ended as user nobody, who may not",
    ),
    "su": ("su nobody -s /bin/sh -c '{command}'", "su is setuid: it may change the user"),
}


@pytest.mark.parametrize("how", AS_ANOTHER_USER)
def test_a_program_of_another_user_is_named_as_that(tmp_path: Path, how: str) -> None:
    """It cannot report: nothing of it is proven."""
    command, why = AS_ANOTHER_USER[how]
    if os.geteuid() != 0 or not shutil.which(how):
        pytest.skip(f"only root becomes another user, by {how}")
    place = Path(tempfile.mkdtemp(dir="/var/tmp"))
    place.chmod(0o777)
    try:
        arguments = shlex.split(command.format(command=DD.format(place=place)))
        done = ran([sys.executable, "-m", "weir", "prove", "--", *arguments], cwd=tmp_path, check=True)
    finally:
        shutil.rmtree(place)
    assert "VALID, proven" not in done.stderr
    assert why in done.stderr, done.stderr


def test_a_static_program_is_named_as_that(tmp_path: Path) -> None:
    """As gosu is, which then starts another one as another user."""
    source = tmp_path / "writer.c"
    source.write_text(STATIC_WRITER)
    built = subprocess.run(["cc", "-static", source, "-o", tmp_path / "writer"], check=False)
    if built.returncode != 0:
        pytest.skip("no static C library")
    weir = [sys.executable, "-m", "weir", "prove", "--"]
    done = ran([*weir, tmp_path / "writer", tmp_path / "f"], cwd=tmp_path, check=True)
    assert "writer is static: it loads no library" in done.stderr, done.stderr


def test_a_prove_around_another_one_names_the_program_of_the_inner(tmp_path: Path) -> None:
    """The outer one sees nothing of the inner program: it neither proves nor accuses."""
    weir = [sys.executable, "-m", "weir", "prove", "--"]
    command = [*weir, *weir, *DD.format(place=tmp_path).split()]
    done = ran(command, cwd=tmp_path, check=True)
    _, outer = (line for line in done.stderr.splitlines() if line.startswith("claimed by dd: write "))
    assert outer.partition(" MiB/s: ")[2] == "UNPROVEN, no call on any mount was seen", done.stderr


def test_a_pipeline_has_no_more_proven_results_than_programs_that_used_the_storage(tmp_path: Path) -> None:
    """The first one writes to a pipe, and prints as many bytes."""
    commands = f"dd if=/dev/zero bs=1M count=32 iflag=fullblock | dd of={tmp_path}/f bs=1M conv=fsync"
    found = clean(lambda: proven(["bash", "-c", commands], tmp_path))
    assert len(found) == 2
    assert [one.verdict for one in found].count("VALID") < 2, found[0].text
    assert not any(one.of_itself for one in found), found[0].text


@pytest.mark.parametrize(
    "command", ["dd if={source} bs=1M {to}", "dd if={source} bs=32M {to}", "cat {source} | dd bs=1M {to}"]
)
def test_a_copy_that_is_not_stored_is_not_proven_by_what_it_read(tmp_path: Path, command: str) -> None:
    """dd tells neither that it read nor that it wrote, and the source is read at the same rate."""
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as source:
        source.write(os.urandom(32 << 20))
        source.flush()
        copy = command.format(source=source.name, to=f"iflag=fullblock conv=fsync of={tmp_path}/f")
        honest = only(clean(lambda: proven(["sh", "-c", copy], tmp_path)))
        lies = only(proven([str(filter_program(tmp_path)), "sh", "-c", copy], tmp_path))
    assert not honest.of_itself, honest.text
    assert {"sync-left-dirty-pages", "sync-not-effective"} & {*lies.findings}, lies.text
